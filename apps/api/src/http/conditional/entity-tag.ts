import { createHash } from 'node:crypto';

/** 132 bits: no two versions have the same tag. */
const TAG_LENGTH = 22;

/** The strong entity tag (RFC 9110, 8.8.3) of some bytes, quotes included. */
export function tagOfBytes(parts: Iterable<string | Buffer>): string {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return `"${digest.digest('base64url').slice(0, TAG_LENGTH)}"`;
}

/** The strong entity tag of a row: of all values that a write can change, always in the same order. */
export function tagOfValues(...values: readonly unknown[]): string {
  return tagOfBytes([JSON.stringify(values)]);
}

/** An entity tag of a request. */
export interface GivenTag {
  readonly isWeak: boolean;
  /** With the quotes. */
  readonly opaque: string;
}

/** The tags of `If-Match` or `If-None-Match`; `*` is any version. */
export type GivenTags = '*' | readonly GivenTag[];

/** An element of a list, with the comma at the end. Empty elements are allowed. Takes linear time on any text. */
const element = /[ \t]*(?:(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;

/** Reads a list of tags; undefined: the header is no list of tags (RFC 9110, 13.1.1). */
export function readTags(header: string): GivenTags | undefined {
  if (header.trim() === '*') return '*';
  const tags: GivenTag[] = [];
  element.lastIndex = 0;
  while (element.lastIndex < header.length) {
    const match = element.exec(header);
    if (match === null) return undefined;
    const [, weak, opaque] = match;
    if (opaque !== undefined) tags.push({ isWeak: weak !== undefined, opaque });
  }
  return tags.length === 0 ? undefined : tags;
}
