// What is said of an error or an entity, in words and signs.

/** A number with its noun: "1 mention", "2,000 mentions". */
export const counted = (number, noun, plural = `${noun}s`) =>
  `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;

export const percent = (value) => (value === null || value === undefined ? "" : (100 * value).toFixed(2));

export const SYMBOLS = {
  "span error": "↔",
  "merged entities": "∪",
  "split entity": "÷",
  "extra mention": "+",
  "extra entity": "+",
  "missing mention": "−",
  "missing entity": "−",
};

/** Whether an error is marked at the key's mention: what the response lacks can stand nowhere else. */
export const concernsKey = (error) => error.type.startsWith("missing") || error.type === "span error";

const CATEGORY_WORDS = {
  "1": "perfect",
  "2a": "partial entity",
  "2b": "partial mentions",
  "3": "merged with another",
  "4": "failed",
  "other": "other",
};

export const categoryText = (category) => `${category} · ${CATEGORY_WORDS[category] || category}`;

export const KIND_WORDS = ["", "name", "nominal", "pronoun", "zero"];

/** An error as one sentence: a list of strings, and {quote} for words of the text. */
export function errorSentence(page, reading, error) {
  const quoted = (text) => ({ quote: text });
  const key = error.key.map((mention) => page.textOf(page.key, mention));
  const response = error.response.map((mention) => page.textOf(reading.side, mention));
  const [keyEntity, otherKey] = error.keyEntities;
  const [responseEntity, otherResponse] = error.responseEntities;
  const texts = (list) => {
    const shown = list.slice(0, 4).flatMap((text, at) => (at ? [", ", quoted(text)] : [quoted(text)]));
    return list.length > 4 ? [...shown, ` and ${list.length - 4} more`] : shown;
  };
  switch (error.type) {
    case "span error":
      return [quoted(key[0]), " was found as ", quoted(response[0])];
    case "split entity":
      return [...texts(response), ` of key entity ${keyEntity.label} `,
        response.length === 1 ? "is" : "are", ` in response entity ${responseEntity.label}`,
        otherResponse ? `, the rest in ${otherResponse.label}` : ""];
    case "merged entities":
      return [...texts(response), ` of key entity ${keyEntity.label} `,
        response.length === 1 ? "is" : "are", " put together",
        otherKey ? ` with key entity ${otherKey.label}` : "",
        responseEntity ? ` in response entity ${responseEntity.label}` : ""];
    case "missing mention":
      return [quoted(key[0]), ` of key entity ${keyEntity.label} was not found`];
    case "extra mention":
      return [quoted(response[0]), ` in response entity ${responseEntity.label} is no mention of the key`];
    case "missing entity":
      return [`key entity ${keyEntity.label} was not found: `, ...texts(key)];
    case "extra entity":
      return [`response entity ${responseEntity.label} has no mention of the key: `, ...texts(response)];
    default:
      return [...texts(key), " ", ...texts(response)];
  }
}

/** A sentence as plain text. */
export const plainText = (sentence) =>
  sentence.map((part) => (typeof part === "string" ? part : `“${part.quote}”`)).join("");

/** What made an error hard or easy: the kind of mention, the distance, the words in common. */
export function errorCircumstances(error) {
  const parts = [error.kind];
  if (error.restKind) parts.push(`rest: ${error.restKind}`);
  if (error.distance !== null) parts.push(`${counted(error.distance, "sentence")} away`);
  if (error.match) parts.push(`string match: ${error.match}`);
  return parts.filter((part) => part && part !== "unknown").join(" · ");
}
