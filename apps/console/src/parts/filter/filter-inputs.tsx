import { NativeSelect, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { entities } from '../../api/entities.ts';

interface FilterSelectProps<Value extends string> {
  readonly label: string;
  /** The text when nothing is chosen, such as `All states`. */
  readonly all: string;
  readonly data: readonly { readonly value: Value; readonly label: string }[];
  /** Null or undefined: all. */
  readonly value: Value | null | undefined;
  readonly onChange: (value: Value | null) => void;
}

/** Narrows a list to one of some words. The browser's own list: no code to fetch, and the best there is on a phone. */
export function FilterSelect<Value extends string>({ label, all, data, value, onChange }: FilterSelectProps<Value>) {
  return (
    <NativeSelect
      aria-label={label}
      data={[{ value: '', label: all }, ...data]}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(data.find((one) => one.value === currentTarget.value)?.value ?? null)}
    />
  );
}

const entityChoices = entities.map(({ type, label }) => ({ value: type as string, label }));

/** Narrows a list to one entity. */
export function EntitySelect(props: Pick<FilterSelectProps<string>, 'value' | 'onChange'>) {
  return <FilterSelect label="Entity" all="All entities" data={entityChoices} {...props} />;
}

interface RecordInputProps {
  /** Undefined: all records. */
  readonly value: number | undefined;
  readonly onChange: (record: number | null) => void;
}

/** Narrows a list to one record, by its id. */
export function RecordInput({ value, onChange }: RecordInputProps) {
  return (
    <SearchInput
      type="text"
      aria-label="Record"
      placeholder="Record id"
      inputMode="numeric"
      maxLength={15}
      value={value === undefined ? undefined : String(value)}
      onChange={(text) => onChange(Number(text.replaceAll(/\D/gu, '')) || null)}
      w={140}
    />
  );
}

interface SearchInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** What is looked for; undefined: nothing. */
  readonly value: string | undefined;
  /** Called when the person pauses. */
  readonly onChange: (text: string) => void;
}

/** A text to look for. */
export function SearchInput({ value, onChange, ...rest }: SearchInputProps) {
  const [text, setText] = useState(value ?? '');
  const report = useDebouncedCallback((typed: string) => onChange(typed.trim()), 250);
  return (
    <TextInput
      type="search"
      {...rest}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        report(event.currentTarget.value);
      }}
    />
  );
}

interface MomentInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** ISO 8601; undefined: none. */
  readonly value: string | undefined;
  readonly onChange: (moment: string | null) => void;
}

/** A moment, given in the viewer's zone. */
export function MomentInput({ value, onChange, ...rest }: MomentInputProps) {
  return (
    <TextInput
      {...rest}
      type="datetime-local"
      value={value === undefined ? '' : localOf(new Date(value))}
      onChange={({ currentTarget: { value: local } }) => onChange(local === '' ? null : new Date(local).toISOString())}
    />
  );
}

/** As the input wants it: the local time without a zone, to the minute. */
function localOf(moment: Date): string {
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
