/** One command of a block of shell. */
export interface ShellCommand {
  /** Set before it: `NAME=value command`. */
  readonly settings: readonly string[];
  /** Without quotes. */
  readonly words: readonly string[];
}

/** The commands of a block, with what documents use of the shell: quotes, continued lines, comments, `&&`, `|`, `>`. */
export function shellCommands(code: string): ShellCommand[] {
  const commands: ShellCommand[] = [];
  let words: string[] = [];
  const end = () => {
    const first = words.findIndex((word) => !/^[A-Z][A-Z0-9_]*=/u.test(word));
    const settings = first < 0 ? words : words.slice(0, first);
    if (words.length > 0)
      commands.push({
        settings: settings.map((word) => word.split('=')[0] ?? ''),
        words: words.slice(settings.length),
      });
    words = [];
  };
  const tokens =
    /\\\n|#[^\n]*|\n|&&|[|;]|>>?\s*\S+|<\s*\S+|(?:'[^']*'|"(?:\\.|[^"\\])*"|\\[^\n]|[^\s'"|;&<>\\]|&(?!&))+/gu;
  for (const [token] of code.matchAll(tokens)) {
    if (token === '\\\n' || /^[<>]/u.test(token)) continue;
    if (token.startsWith('#')) continue;
    if (['\n', '&&', '|', ';'].includes(token)) end();
    else
      words.push(
        token.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"/gu, (_, one?: string, two?: string) => one ?? two ?? ''),
      );
  }
  end();
  return commands;
}

/** A request that a `curl` of the documents makes. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string | undefined;
  /** Of `-K .callout/curl-<role>`. */
  readonly role: string | undefined;
}

/** Reads the options of curl that documents use. @throws Error for another one. */
export function curlRequest(words: readonly string[]): CurlRequest {
  let [method, url, body, role]: (string | undefined)[] = [];
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? '';
    const value = words[at + 1] ?? '';
    if (!word.startsWith('-')) {
      url = word;
      continue;
    }
    if (/^-[sSiN]+$/u.test(word)) continue;
    if (/^-s?X$/u.test(word)) method = value;
    else if (word === '-d' || word === '--data') body = value;
    else if (word === '-K') role = /curl-(\w+)$/u.exec(value)?.[1];
    else if (word !== '-H') throw new Error(`curl ${word} is not known here`);
    at++;
  }
  if (url === undefined) throw new Error('curl without a URL');
  return { method: method ?? (body === undefined ? 'GET' : 'POST'), url, body, role };
}
