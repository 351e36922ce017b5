/** Characters that need more than lower-casing: the final sigma, half surrogate pairs, U+0000. */
const needsCare = /[\u03c2\ud800-\udfff\0]/;

/**
 * Text for comparisons that ignore case: Unicode's full lower-case mapping, the same in every locale. Accents count
 * (`é` is not `e`), `ß` is not `ss`, and no normalisation is done.
 *
 * Both sigmas become the same letter, because lower-casing chooses a sigma by the letters behind: otherwise `ΟΔΟΣ`
 * would not be found at the beginning of `ΟΔΟΣΑ`. So folding works letter by letter: fold(a + b) = fold(a) + fold(b).
 * The result is text that PostgreSQL can store: half a pair and U+0000 become U+FFFD.
 */
export function foldText(text: string): string {
  const lower = text.toLowerCase();
  if (!needsCare.test(lower)) return lower;
  return lower.replaceAll('\u03c2', '\u03c3').replaceAll('\0', '\ufffd').toWellFormed();
}
