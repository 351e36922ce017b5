import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { zonesQuery } from './operator-queries.ts';

interface ZoneSelectProps {
  /** Null: the default zone. */
  readonly value: number | null;
  readonly onChange: (zoneID: number | null) => void;
  readonly error?: string | undefined;
}

/** The zone of a tenant. */
export function ZoneSelect({ value, onChange, error }: ZoneSelectProps) {
  const zones = useQuery(zonesQuery);
  return (
    <Select
      label="Zone"
      description="The host name under which it reaches the API"
      placeholder="The default zone"
      allowDeselect={false}
      data={(zones.data ?? []).map(({ id, name, isDefault }) => ({
        value: String(id),
        label: isDefault ? `${name} (default)` : name,
      }))}
      value={value === null ? null : String(value)}
      onChange={(next) => onChange(next === null ? null : Number(next))}
      error={error}
    />
  );
}
