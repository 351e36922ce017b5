import { Problem } from '@callout/domain/problem';
import type { Output } from '../../output.ts';
import type { Typed } from '../context.ts';

/** Asks a person for several things, in turn. */
export interface Prompt {
  readonly line: (question: string) => Promise<string>;
  /** The same for a secret: the typed text is not shown. */
  readonly secret: (question: string) => Promise<string>;
}

/** On a terminal. Stdin stays open between questions; the end of the process closes it. */
export function createPrompt(stdin: Typed, out: Pick<Output, 'report'>): Prompt {
  const chunks = stdin[Symbol.asyncIterator]();
  let typed = '';

  async function line(): Promise<string> {
    for (;;) {
      const end = /\r\n|[\r\n]/u.exec(typed);
      if (end !== null) {
        const text = typed.slice(0, end.index);
        typed = typed.slice(end.index + end[0].length);
        return text.trim();
      }
      const { done, value } = await chunks.next();
      if (done === true) throw Problem.invalid('the input ended before everything was answered');
      typed += Buffer.from(value).toString('utf8');
      // Where keys are read one by one, the terminal does not act on Ctrl-C and Ctrl-D.
      if (typed.includes('\u0003') || typed.includes('\u0004')) throw Problem.invalid('stopped');
      while (/[\b\u007F]/u.test(typed)) typed = typed.replace(/(?:[^\b\u007F])?[\b\u007F]/u, '');
    }
  }

  return {
    async line(question) {
      out.report(question);
      return line();
    },
    async secret(question) {
      out.report(`${question} (it is not shown)`);
      stdin.setRawMode?.(true);
      try {
        return await line();
      } finally {
        stdin.setRawMode?.(false);
      }
    },
  };
}
