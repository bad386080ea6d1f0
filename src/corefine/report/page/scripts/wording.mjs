// What is said of an error or an entity, in words and signs.

/** A number with its noun: "1 mention", "2,000 mentions". */
export const counted = (number, noun, plural = `${noun}s`) =>
  `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;

export const percent = (value) => (value === null || value === undefined ? "" : (100 * value).toFixed(2));

const LETTER = 7.5; // pixels of a letter, about

/** A text cut to so many pixels. */
export const fitted = (text, width) => (LETTER * text.length <= width ? text : `${text.slice(0, Math.max(1, Math.floor(width / LETTER) - 1))}…`);

export const SYMBOLS = {
  "span error": "↔", "merged entities": "∪", "split entity": "÷",
  "extra mention": "+", "extra entity": "+",
  "missing mention": "−", "missing entity": "−",
};

/** Whether an error is marked at the key's mention: what the response lacks can stand nowhere else. */
export const concernsKey = (error) => error.type.startsWith("missing") || error.type === "span error";

/** A category with what it means, up to the details. */
export const categoryText = (category, meanings) => (meanings[category] ? `${category} · ${meanings[category]}` : category);

const QUOTED = 3;

/** An error as one sentence: a list of strings, and {quote} for words of the text. @returns {any[]} */
export function errorSentence(page, reading, error) {
  const quote = (text) => ({ quote: text });
  const key = error.key.map((mention) => page.textOf(page.key, mention));
  const response = error.response.map((mention) => page.textOf(reading.side, mention));
  const [keyEntity] = error.keyEntities;
  const name = keyEntity ? page.nameOf(keyEntity) : "";
  const listed = (texts) => {
    const distinct = [...new Set(texts)];
    const shown = distinct.slice(0, QUOTED).flatMap((text, at) => (at ? [", ", quote(text)] : [quote(text)]));
    const more = texts.length - Math.min(distinct.length, QUOTED);
    return more ? [...shown, ` and ${more.toLocaleString("en")} more`] : shown;
  };
  const rest = (texts) => (texts.includes(name) ? restOf(page, reading, error) || name : name);
  const other = error.otherKey ? quote(page.nameOf(error.otherKey)) : "another entity";
  const told = {
    "span error": () => [quote(key[0]), " found as ", quote(response[0])],
    "merged entities": () => [...listed(response), response.includes(name) ? "" : ` (${name})`, " merged with ", other],
    "split entity": () => [...listed(response), " split off ", quote(rest(response))],
    "missing mention": () => [quote(key[0]), " missing from ", quote(rest(key))],
    "extra mention": () => [quote(response[0]), " wrongly added to ", other],
    "missing entity": () => [quote(name), " missing", key.length > 1 ? ` (${counted(key.length, "mention")})` : ""],
    "extra entity": () => [...listed(response), " not an entity of the key"],
  };
  return told[error.type]();
}

/** The first mention of what a part was split off, or of what a missing mention belongs to. */
function restOf(page, reading, error) {
  const rest = error.type === "split entity" ? error.responseEntities[1] : null;
  const first = error.keyEntities[0].mentions.find((mention) => {
    const twin = reading.keyTwin[mention];
    return twin >= 0 && !error.key.includes(mention) && (!rest || reading.side.entityOf(twin) === rest);
  });
  return first === undefined ? null : page.textOf(page.key, first);
}

/** Points of F1 with a sign: "+1.20". */
export const points = (value, decimals = 2) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(decimals)}`;

/** A sentence as plain text. */
export const plainText = (sentence) =>
  sentence.map((part) => (typeof part === "string" ? part : `“${part.quote}”`)).join("");

/** What made an error hard or easy: the kind of mention, the distance, the words in common. */
export function errorCircumstances(error) {
  const parts = [error.kind];
  if (error.restKind && error.restKind !== "unknown") parts.push(`rest: ${error.restKind}`);
  if (error.distance !== null) parts.push(error.distance ? `${counted(error.distance, "sentence")} away` : "same sentence");
  if (error.match) parts.push(`string match: ${error.match}`);
  return parts.filter((part) => part && part !== "unknown").join(" · ");
}
