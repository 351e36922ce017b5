// One vocabulary: words that the code no longer uses, each with the word that it uses.
import { files, textOf } from './sources.mjs';

const OLD_WORDS = [
  [/\brepeat keys?\b/i, 'idempotency key'],
  [/\bfollowers\b/i, 'successors'],
  [/\bunsound\b/i, 'invalid'],
  [/\bwhoever\b/i, 'a plain subject'],
  [/\bintake_[a-z]/, 'ingest'],
  [/\bstale_sign_in\b/, 'stale_authentication'],
  [/\bwhat came of\b/i, 'result'],
  [/\bbell\b/i, 'notice'],
  [/\bnone of those that\b/i, 'a plain subject'],
  [/\b(re|un)?sealed/i, 'encrypted or decrypted'],
  [/\btold\b/i, 'reported, notified or distinguished'],
  [/\b(un)?said\b/i, 'reported, stated or sent'],
  [/\bas far as\b/i, 'a plain condition'],
  [/\bwhat became of\b/i, 'result'],
  [/\b(takes?|took) leave\b/i, 'close or end'],
  [/\bgives? back\b/i, 'release or return'],
];

export function oldWords() {
  return files.flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, index) =>
        OLD_WORDS.filter(([pattern]) => pattern.test(line)).map(
          ([pattern, word]) => `${file}:${index + 1}: ${pattern.exec(line)[0]}: say ${word}`,
        ),
      ),
  );
}
