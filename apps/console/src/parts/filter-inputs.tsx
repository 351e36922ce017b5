import { NumberInput, Select } from '@mantine/core';
import { entities } from '../api/entities.ts';

interface EntitySelectProps {
  /** An entity type; null: all. */
  readonly value: string | null;
  readonly onChange: (entityType: string | null) => void;
}

/** Narrows a list to one entity. */
export function EntitySelect({ value, onChange }: EntitySelectProps) {
  return (
    <Select
      aria-label="Entity"
      placeholder="All entities"
      clearable
      data={entities.map(({ type, label }) => ({ value: type, label }))}
      value={value}
      onChange={onChange}
    />
  );
}

interface RecordInputProps {
  /** A number once it is one; text while it is typed. */
  readonly value: number | string;
  readonly onChange: (record: number | string) => void;
}

/** Narrows a list to one record, by its id. */
export function RecordInput({ value, onChange }: RecordInputProps) {
  return (
    <NumberInput
      aria-label="Record"
      placeholder="Record id"
      min={1}
      hideControls
      value={value}
      onChange={onChange}
      w={140}
    />
  );
}
