import { ApiError } from '@callout/client';
import { type MutationMeta, type QueryKey, useMutation } from '@tanstack/react-query';
import { useState } from 'react';

/** Something as it was read, with the ETag of that version. */
export interface Version {
  readonly etag: string;
}

/** The header of a write that is made of one version alone. */
export interface OfVersion {
  readonly 'If-Match': string;
}

interface VersionedWrite<Read extends Version, Input, Result> {
  /** The version that the person knows; undefined: it is being read. */
  readonly knownVersion: Read | undefined;
  /** What this page has read last of what is stored. */
  readonly present: Read | undefined;
  readonly write: (header: OfVersion, input: Input) => Promise<Result>;
  /** Queries that are read again after the write, and after a refusal. */
  readonly changes: QueryKey;
  readonly onSuccess?: ((result: Result) => unknown) | undefined;
  readonly meta?: MutationMeta;
}

/** Whether a write was refused because something else has been written since it was read. */
export const isOtherVersion = (error: unknown): boolean => error instanceof ApiError && error.status === 412;

/**
 * Writes what the person knows. Where another version is stored by now, the API refuses that: then what is stored is read
 * and shown, and the next try writes it.
 * @returns how to write; `error` is any other refusal; `was` is the version that was known when it was refused.
 */
export function useVersionedWrite<Read extends Version, Result, Input = void>(
  options: VersionedWrite<Read, Input, Result>,
) {
  const { knownVersion, present, write, changes, onSuccess, meta } = options;
  const [was, setWas] = useState<Read>();
  const { etag = '*' } = (was === undefined ? knownVersion : present) ?? {};
  const { mutate, isPending, error } = useMutation({
    // What is stored may be read again, and drawn, before the write has settled.
    onMutate: () => was ?? knownVersion,
    mutationFn: (input: Input) => write({ 'If-Match': etag }, input),
    ...(onSuccess && { onSuccess }),
    onSettled: (_result, refusal, _input, knownBefore) => setWas(isOtherVersion(refusal) ? knownBefore : undefined),
    meta: { ...meta, changes },
  });
  return { mutate, isPending, error: isOtherVersion(error) ? null : error, was: isPending ? undefined : was };
}
