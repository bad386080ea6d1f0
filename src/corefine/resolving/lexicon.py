"""Word lists: what an English word tells of number, gender, person and definiteness.

They stand in where a corpus has no morphology. All words are in lower case.
"""

from __future__ import annotations


def words(*texts: str) -> frozenset[str]:
    """The words of these texts."""
    return frozenset(word for text in texts for word in text.split())


# Personal pronouns by person; the possessive and reflexive forms belong to them.
FIRST_SINGULAR = words("i me my mine myself")
FIRST_PLURAL = words("we us our ours ourselves ourself")
SECOND = words("you your yours yourself yourselves thou thee thy thine thyself ye ya")
MASCULINE_PRONOUNS = words("he him his himself")
FEMININE_PRONOUNS = words("she her hers herself")
NEUTER_PRONOUNS = words("it its itself")
THIRD_SINGULAR = MASCULINE_PRONOUNS | FEMININE_PRONOUNS | NEUTER_PRONOUNS
THIRD_PLURAL = words("they them their theirs themselves themself 'em em")
PERSON_PRONOUNS = words("who whom whose whoever everyone everybody someone somebody nobody anyone")
REFLEXIVES = words(
    "myself ourselves ourself yourself yourselves thyself himself herself itself themselves",
    "themself",
)
PERSONAL_PRONOUNS = FIRST_SINGULAR | FIRST_PLURAL | SECOND | THIRD_SINGULAR | THIRD_PLURAL

DEFINITE = words("the")
INDEFINITE = words("a an some any another no every each many several few most")
DEMONSTRATIVES = words("this that these those such")
ARTICLES = words("the a an")
POSSESSIVE_DETERMINERS = words("my our your thy his her its their whose")
DETERMINERS = ARTICLES | INDEFINITE | DEMONSTRATIVES | POSSESSIVE_DETERMINERS

SINGULAR_DETERMINERS = words("a an this that another every each one")
PLURAL_DETERMINERS = words(
    "these those many several few both all two three four five six seven eight nine ten eleven",
    "twelve some twenty thirty forty fifty hundred dozen various certain most",
)
IRREGULAR_PLURALS = words(
    "men women children people feet teeth geese mice folk folks police cattle gentlemen ladies",
    "wives brothers sisters sons daughters countrymen workmen policemen data media criteria",
)
NOT_PLURAL = words(
    "news mathematics physics politics economics series species gas glass boss class lass dress",
    "address princess duchess countess mistress business process success access chess grass mass",
    "bus christmas james thomas charles lens diabetes basis analysis crisis thesis its his this",
    "is was as us",
)

MASCULINE_TITLES = words("mr mr. sir lord father brother uncle king prince duke earl count baron")
FEMININE_TITLES = words(
    "mrs mrs. ms ms. miss lady madame mademoiselle madam aunt sister queen princess duchess",
    "countess baroness dame signora mother",
)
TITLES = (
    MASCULINE_TITLES
    | FEMININE_TITLES
    | words(
        "dr dr. doctor professor prof prof. president senator general colonel captain major",
        "lieutenant sergeant judge justice reverend rev rev. saint st st. pope bishop monsieur",
        "governor mayor minister secretary chancellor",
    )
)

MASCULINE_NOUNS = MASCULINE_TITLES | words(
    "man men boy boys gentleman gentlemen husband husbands son sons grandson nephew grandfather",
    "grandpa papa dad daddy pa fellow fellows lad chap guy bachelor widower groom bridegroom",
    "emperor hero actor waiter steward priest monk friar god squire master monsieur signor senor",
    "signore bloke policeman fireman salesman chairman workman countryman nobleman businessman",
    "spokesman congressman stepfather stepson godfather brethren blacksmith butler footman",
    "coachman sailor fisherman clergyman vicar parson curate curé host knight wizard tailor",
)
FEMININE_NOUNS = FEMININE_TITLES | words(
    "woman women girl girls ladies wife wives daughter daughters granddaughter niece grandmother",
    "grandma mama mamma mum mom mommy widow bride empress heroine actress waitress stewardess nun",
    "goddess mistress hostess maid housemaid governess nurse landlady housekeeper spinster",
    "seamstress policewoman businesswoman spokeswoman stepmother stepdaughter godmother matron",
    "maiden witch fiancée mademoiselle signorina señora sisters",
)
PERSON_NOUNS = words(
    "person people child children baby babies friend friends parent parents cousin cousins doctor",
    "doctors teacher teachers student students lawyer lawyers president leader leaders member",
    "members author authors artist artists writer writers player players singer guest guests",
    "visitor visitors stranger strangers neighbour neighbours neighbor neighbors servant servants",
    "officer officers soldier soldiers clerk clerks judge patient patients participant",
    "participants respondent respondents researcher researchers scientist scientists speaker",
    "speakers voter voters candidate candidates citizen citizens resident residents adult adults",
    "youth worker workers owner owners professor professors passenger passengers prisoner",
    "prisoners defendant plaintiff counsel attorney narrator captain pilot driver infant twins",
    "twin couple family families somebody someone everybody everyone creature creatures fool",
    "villain lover lovers colleague colleagues companion companions dear darling individual",
    "individuals character characters dancer musician composer painter poet engineer director",
    "manager senator governor mayor minister secretary spokesperson expert experts critic critics",
)

# First names that are nearly always given to one sex.
MASCULINE_NAMES = words(
    "abraham adam adolf alan albert alexander alfred andrew anthony anton antonio arnold arthur",
    "augustus barack basil benjamin bernard bertie bill billy bob bobby brian bruce carl",
    "charles charlie chris christ christopher clive colin cyril daniel dave david denis dennis",
    "donald douglas duncan edgar edmund edward edwin elijah eric ernest ezra felix ferdinand",
    "francis francisco frank franklin fred frederick geoffrey george gerald gilbert giovanni",
    "graham gregory guy hans harold harry hector heinrich henry herbert hugh hugo ian isaac",
    "ivan jack jacob james jason jean jeff jeffrey jeremy jesus jim jimmy joe johann john",
    "johnny jonathan joseph joshua julian justin karl keith kenneth kevin lawrence leo leonard",
    "leonardo lewis louis ludwig luke malcolm marcus mario mark martin matthew maurice max",
    "michael mike mohammed moses nathan ned neil nicholas nick nigel noah norman oliver oscar",
    "oswald owen patrick paul pedro percy peter phil philip pierre ralph randolph raymond",
    "reginald richard rob robert roderick rodney roger roland ronald roy rudolf rupert sam",
    "samuel sebastian sidney silas simon solomon stanley stephen steve steven stuart ted terry",
    "theodore thomas tim timothy tom tommy tony victor vincent vladimir wallace walter will",
    "william willie winston wolfgang",
)
FEMININE_NAMES = words(
    "abigail ada adela adelaide agatha agnes alexandra alice alison amanda amelia amy angela",
    "anita anna anne annie antonia audrey barbara beatrice bella bertha bessie betsy betty",
    "bridget camilla carol caroline catherine cecilia celia charlotte chloe christina christine",
    "clara clarissa claudia constance cordelia daisy daphne deborah diana dinah dolores dora",
    "doris dorothea dorothy edith edna eileen eleanor elena eliza elizabeth ella ellen elsie",
    "emilia emily emma esther ethel eva eve evelyn fanny flora florence frances georgiana",
    "geraldine gertrude gloria grace gwendolen hannah harriet harriett hazel heather helen",
    "helena henrietta hermione hilda hillary ida irene isabel isabella ivy jane janet jemima",
    "jennifer jenny jessica jessie joan joanna josephine joyce judith judy julia juliet karen",
    "kate katharine katherine kathleen kitty laura lavinia leonora letitia lily linda lisa",
    "lizzie louisa louise lucia lucy lydia mabel madeleine maggie margaret maria marian",
    "marianne marie marion marjorie martha mary matilda maud maude melissa mercy michelle",
    "mildred millie miranda molly monica muriel nancy nannie naomi natalie nell nelly nina nora",
    "olive olivia ophelia pamela patience patricia paula pauline peggy penelope philippa phoebe",
    "phyllis polly priscilla prudence rachel rebecca rhoda rosa rosalind rose rosemary ruth",
    "sally samantha sandra sarah selina sheila sibyl silvia sonia sophia sophie stella susan",
    "susanna sylvia teresa thelma theresa tina titania ursula valerie vanessa vera veronica",
    "victoria viola violet virginia vivian wendy wilhelmina winifred yvonne zoe",
)

# Words after which, inside a mention, the modifiers of its head follow.
MODIFIER_OPENERS = words(
    "of in on at by for from to with without within into onto over under about above across after",
    "against along among around as before behind below beneath beside between beyond despite down",
    "during except inside like near off out outside past since through throughout till toward",
    "towards until unto up upon via who whom whose which that where when whereby why how than",
    ", ; : ( [ - -- – —",
)
COORDINATORS = words("and & or")
PUNCTUATION = frozenset(".,;:!?()[]{}\"'`-_“”‘’…–—/*") | {"``", "''", "--", "...", "-lrb-", "-rrb-"}
POSSESSIVE_MARKERS = frozenset({"'s", "’s", "'", "’"})

# Words that two mentions may share without having anything in common.
NOT_CONTENT = (
    DETERMINERS
    | MODIFIER_OPENERS
    | COORDINATORS
    | PUNCTUATION
    | POSSESSIVE_MARKERS
    | words("not be is are was were been being has have had do does did will would can could so")
)

OPENING_QUOTES = frozenset({"“", "``", "«", "„"})
CLOSING_QUOTES = frozenset({"”", "''", "»"})
STRAIGHT_QUOTES = frozenset({'"'})
