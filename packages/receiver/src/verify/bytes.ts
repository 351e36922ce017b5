/** Bytes that Web Crypto takes: not of shared memory, which older versions of TypeScript cannot say. */
export type Bytes = ReturnType<TextEncoder['encode']>;

/** The body as received, before anything parsed the bytes. A string is taken as UTF-8. */
export type RawBody = Uint8Array | ArrayBuffer | string;

const encoder = new TextEncoder();

/** The UTF-8 bytes of a text. */
export function utf8(text: string): Bytes {
  return encoder.encode(text);
}

/** Throws a TypeError for anything but a received body, such as the object that a parser made. */
export function bytesOf(body: RawBody): Bytes {
  if (typeof body === 'string') return utf8(body);
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError('Give the body as it came (Uint8Array, ArrayBuffer or string), not what was parsed from it.');
}

/** Puts pieces together. */
export function joinBytes(pieces: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}
