import { NumberInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { Note } from '../show/fact.tsx';

interface LimitInputProps {
  readonly label: string;
  readonly description: string;
  /** Null: that of the installation; 0: none. */
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
  readonly error?: string | undefined;
}

const usual = 1_000;

/** A limit per hour: that of the installation, one of its own, or none. */
export function LimitInput({ label, description, value, onChange, error }: LimitInputProps) {
  const mode = value === null ? 'default' : value === 0 ? 'none' : 'own';
  return (
    <Stack gap={6}>
      <div>
        <Text fw={600}>{label}</Text>
        <Note>{description}</Note>
      </div>
      <SegmentedControl
        size="xs"
        aria-label={label}
        value={mode}
        onChange={(next) => onChange(next === 'default' ? null : next === 'none' ? 0 : usual)}
        data={[
          { value: 'default', label: 'As the installation' },
          { value: 'own', label: 'Its own' },
          { value: 'none', label: 'No limit' },
        ]}
      />
      {mode === 'own' && (
        <NumberInput
          aria-label={`${label}, number`}
          min={1}
          allowDecimal={false}
          thousandSeparator=","
          value={value ?? usual}
          onChange={(next) => onChange(typeof next === 'number' && next > 0 ? next : usual)}
          error={error}
        />
      )}
    </Stack>
  );
}
