/** A shorter text is searched directly, whatever the content. */
const shortOperand = 7;
/** Units of both texts multiplied; up to here the square costs less than avoiding it. */
const smallProduct = 4096;

/**
 * Whether a text contains another text, in time proportional to the sum of the lengths. The time of `includes` is
 * proportional to the product where both consist of a few repeated letters: a thousand such conditions would stop a
 * process for seconds at each row (Knuth, Morris and Pratt).
 */
export function containsText(text: string, operand: string): boolean {
  if (operand.length <= shortOperand || text.length * operand.length <= smallProduct) return text.includes(operand);
  if (operand.length > text.length) return false;
  const fallbacks = fallbacksOf(operand);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && operand.charCodeAt(matched) !== unit) matched = fallbacks[matched - 1] ?? 0;
    if (operand.charCodeAt(matched) === unit) matched += 1;
    if (matched === operand.length) return true;
  }
  return false;
}

/** For each prefix of a text, how much of its end is also a prefix of the text. */
function fallbacksOf(text: string): Uint32Array {
  const fallbacks = new Uint32Array(text.length);
  let matched = 0;
  for (let at = 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && text.charCodeAt(matched) !== unit) matched = fallbacks[matched - 1] ?? 0;
    if (text.charCodeAt(matched) === unit) matched += 1;
    fallbacks[at] = matched;
  }
  return fallbacks;
}
