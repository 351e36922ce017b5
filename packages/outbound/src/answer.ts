import type { IncomingHttpHeaders } from 'node:http';
import type { BodyCut } from '@callout/domain/outcome/answers';
import type { AnsweredOutcome } from '@callout/domain/outcome/outcome';

/** The part of a response that has been received. */
export class Answer {
  readonly #maxBytes: number;
  #status: number | undefined;
  #headers: Readonly<Record<string, string>> = {};
  #body = Buffer.alloc(0);
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Called with status line and headers: from now on the attempt has a response, whatever happens to the body. */
  get hasBegun(): boolean {
    return this.#status !== undefined;
  }

  begin(status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = plainHeaders(headers);
  }

  /** Keeps a piece of the body. Returns false when the limit is exceeded. */
  add(piece: Buffer): boolean {
    const kept = Math.min(piece.length, this.#maxBytes - this.#size);
    this.#grow(this.#size + kept);
    piece.copy(this.#body, this.#size, 0, kept);
    this.#size += kept;
    return kept === piece.length;
  }

  /** @param bodyCut why the body was not read completely; null when it was. */
  outcome(bodyCut: BodyCut | null, durationMs: number): AnsweredOutcome {
    if (this.#status === undefined) throw new Error('An answer without a status line is no outcome');
    return {
      kind: 'answered',
      status: this.#status,
      headers: this.#headers,
      body: this.#body.subarray(0, this.#size),
      bodyCut,
      durationMs,
    };
  }

  /** One buffer that grows: a body in pieces of one byte would cost a hundred times its size as a list of pieces. */
  #grow(size: number): void {
    if (size <= this.#body.length) return;
    const grown = Buffer.allocUnsafe(Math.min(this.#maxBytes, Math.max(size, this.#body.length * 2)));
    this.#body.copy(grown, 0, 0, this.#size);
    this.#body = grown;
  }
}

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  // No prototype, since receivers choose the names.
  const plain = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}
