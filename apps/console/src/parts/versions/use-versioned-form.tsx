import type { MutationMeta, QueryKey } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type OfVersion, useVersionedWrite, type Version } from './use-versioned-write.ts';
import { VersionsMet } from './versions-met.tsx';

type FormValues = Readonly<Record<string, string | boolean>>;

/** The values of a form as they are stored. */
export interface StoredValues<Values extends FormValues> extends Version {
  readonly values: Values;
}

interface Versioned<Values extends FormValues> {
  /** Such as `resource`. */
  readonly what: string;
  readonly labels: Readonly<Record<keyof Values, string>>;
  readonly present: StoredValues<Values>;
  readonly changes: QueryKey;
  readonly meta?: MutationMeta;
}

interface VersionedForm<Values extends FormValues, Result> extends Versioned<Values> {
  /** Writes values: all of them, or those that differ from what is stored. */
  readonly write: (header: OfVersion, values: Values, changes: Partial<Values>) => Promise<Result>;
  readonly onSuccess: (result: Result) => unknown;
}

/**
 * A form about the version that was stored when the person began to edit. What others have changed meanwhile is taken
 * where the person has not edited it.
 * @returns the values, how to edit and to save them, and, after a refusal, both versions.
 */
export function useVersionedForm<Values extends FormValues, Result>(options: VersionedForm<Values, Result>) {
  const { present, write } = options;
  const [knownVersion = present, setKnownVersion] = useState<StoredValues<Values>>();
  const [edits, setEdits] = useState<Partial<Values>>({});
  const draft = { ...present.values, ...edits };
  const edited = Object.keys(draft).filter((name) => draft[name] !== present.values[name]);
  const changes = Object.fromEntries(edited.map((name) => [name, draft[name]])) as Partial<Values>;
  const { was, ...save } = useVersionedWrite({
    ...options,
    knownVersion,
    write: (header: OfVersion) => write(header, draft, changes),
  });
  const takeTheirs = (name: string) => setEdits(({ [name]: _mine, ...rest }) => rest as Partial<Values>);
  const set = (change: Partial<Values>) => {
    setKnownVersion(knownVersion);
    setEdits((before) => ({ ...before, ...change }));
  };
  return { draft, changes, set, save, met: was && metIn(options, was, { changes, takeTheirs }) };
}

interface VersionedDelete<Values extends FormValues> extends Versioned<Values> {
  readonly write: (header: OfVersion) => Promise<unknown>;
  readonly onSuccess: () => unknown;
}

/** Deletes what is shown. @returns how to, and, after a refusal, what others have changed. */
export function useVersionedDelete<Values extends FormValues>(options: VersionedDelete<Values>) {
  const { was, ...remove } = useVersionedWrite({ ...options, knownVersion: options.present });
  return { ...remove, met: was && metIn(options, was) };
}

interface Edit {
  readonly changes: Partial<FormValues>;
  readonly takeTheirs: (name: string) => void;
}

function metIn<Values extends FormValues>(
  { what, labels, present }: Versioned<Values>,
  was: StoredValues<Values>,
  edit?: Edit,
): ReactNode {
  const names = Object.keys(present.values).filter((name) => was.values[name] !== present.values[name]);
  const rows = names.map((name) => ({
    name,
    label: labels[name],
    was: was.values[name] ?? null,
    theirs: present.values[name] ?? null,
    ...(edit !== undefined && name in edit.changes && { mine: edit.changes[name] ?? null }),
    takeTheirs: () => edit?.takeTheirs(name),
  }));
  return <VersionsMet what={what} isEdited={edit !== undefined} rows={rows} />;
}
