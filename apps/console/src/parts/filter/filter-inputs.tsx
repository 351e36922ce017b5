import { NativeSelect, TextInput } from '@mantine/core';
import { entities } from '../../api/entities.ts';

interface FilterSelectProps<Value extends string> {
  readonly label: string;
  /** What is said when nothing is chosen, such as `All states`. */
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

interface EntitySelectProps {
  /** An entity type; null: all. */
  readonly value: string | null;
  readonly onChange: (entityType: string | null) => void;
}

const entityChoices = entities.map(({ type, label }) => ({ value: type as string, label }));

/** Narrows a list to one entity. */
export function EntitySelect(props: EntitySelectProps) {
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
    <TextInput
      aria-label="Record"
      placeholder="Record id"
      inputMode="numeric"
      maxLength={15}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(Number(currentTarget.value.replaceAll(/\D/gu, '')) || null)}
      w={140}
    />
  );
}
