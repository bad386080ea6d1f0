"""Random documents in CoNLL, in CorefUD and in Universal Anaphora with all that they annotate."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.building.conll_documents import WORDS, document

SENTENCES, WORDS_EACH = 3, 6
COLUMNS = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING DISCOURSE_DEIXIS"
HEADERS = {
    "conll": "",
    "conllu": "# global.Entity = eid-etype-head-other\n",
    "ua": f"# global.columns = {COLUMNS} REFERENCE NOM_SEM\n",
}
TAGS = {"NNP": "PROPN", "NN": "NOUN", "PRP": "PRON", "DT": "DET", "WDT": "PRON", "VBZ": "VERB"}


def _word(name: str, number: int) -> tuple[str, str]:
    word, tag = WORDS[(number * int(name[1:]) + number) % len(WORDS)]
    return word, TAGS[tag]


def corefud(name: str, seed: int) -> str:
    """Words depend on the name; zeros, heads, mentions and relations on the seed."""
    chance = np.random.default_rng(seed)
    silent = int(name[1:]) % 5 == 4  # a document without mentions
    lines = [f"# newdoc id = {name}"]
    seen: set[int] = set()
    for sentence in range(SENTENCES):
        lines.append(f"# sent_id = {name}-{sentence}")
        closing = ""
        for word in range(1, WORDS_EACH + 1):
            form, tag = _word(name, sentence * WORDS_EACH + word)
            misc = []
            if closing:
                entity, closing = closing, ""
            elif silent or chance.random() < 0.4:
                entity = ""
            else:
                number = int(chance.integers(5))
                two = word < WORDS_EACH and chance.random() < 0.4
                head = int(chance.integers(1, 3)) if two else 1
                entity = f"(e{number}-x-{head}-" + ("" if two else ")")
                closing = f"e{number})" if two else ""
                if number and 0 in seen and number not in seen and chance.random() < 0.5:
                    misc.append(f"SplitAnte=e0<e{number}")
                seen.add(number)
            cells = [f"Entity={entity}"] * bool(entity) + misc
            parent = word - 1
            basic = f"{parent}\t{'dep' if parent else 'root'}"
            enhanced = f"{parent}:{'dep' if parent else 'root'}"
            lines.append(
                f"{word}\t{form}\t_\t{tag}\t_\t_\t{basic}\t{enhanced}\t{'|'.join(cells) or '_'}"
            )
            if not closing and chance.random() < 0.3:
                number = int(chance.integers(5))
                link = f"{int(chance.integers(1, WORDS_EACH))}:{chance.choice(['nsubj', 'obj'])}"
                mention = "_" if silent else f"Entity=(e{number}-x-1-)"
                lines.append(f"{word}.1\t_\t_\tPRON\t_\t_\t_\t_\t{link}\t{mention}")
        lines.append("")
    return "\n".join([*lines, ""])


def universal_anaphora(name: str, seed: int) -> str:
    """Mentions with minimum spans in two documents of three, sets, bridging, deixis."""
    chance = np.random.default_rng(seed)
    silent = int(name[1:]) % 5 == 4
    minimum = int(name[1:]) % 3 > 0
    lines = [f"# newdoc id = {name}", "# sent_id = 1"]
    earlier = ""
    identity, deixis = "", ""
    for word in range(SENTENCES * WORDS_EACH):
        form, tag = _word(name, word)
        cells = {"identity": "_", "bridging": "_", "deixis": "_"}
        if identity:
            cells["identity"], identity = identity, ""
        elif not silent and chance.random() < 0.6:
            number, markable = int(chance.integers(5)), f"m_{word}"
            two = word + 1 < SENTENCES * WORDS_EACH and chance.random() < 0.5
            entity = f"{word}-Pseudo" if chance.random() < 0.15 else str(number)
            text = f"(EntityID={entity}|MarkableID={markable}"
            text += f"|Min={word + 1 + (two and int(chance.integers(2)))}" if minimum else ""
            text += "|ElementOf=4" if entity in ("0", "1") and chance.random() < 0.5 else ""
            cells["identity"], identity = (text, ")") if two else (f"{text})", "")
            if earlier and chance.random() < 0.4:
                cells["bridging"] = f"(MarkableID={markable}|Rel=x|MentionAnchor={earlier})"
            earlier = markable
        if deixis:
            cells["deixis"], deixis = deixis, ""
        elif not silent and chance.random() < 0.2 and word + 1 < SENTENCES * WORDS_EACH:
            cells["deixis"] = f"(EntityID={chance.integers(3)}|MarkableID=d_{word}"
            deixis = ")"
        lines.append(
            "\t".join([str(word + 1), form, "_", tag, *"______", *cells.values(), "_", "_"])
        )
    return "\n".join([*lines, "", ""])


MAKERS = {"conll": document, "conllu": corefud, "ua": universal_anaphora}


def write(path: Path, names: list[str], seed: int) -> str:
    """A file of documents, in the format that its name ends in."""
    form = path.suffix[1:]
    text = HEADERS[form] + "".join(MAKERS[form](name, seed + int(name[1:])) for name in names)
    path.write_text(text, "utf-8")
    return str(path)
