import { NumberInput } from '@mantine/core';
import type { SettingType } from '@callout/webhooks/settings/settings';

interface LimitControlProps {
  readonly type: Extract<SettingType, { readonly kind: 'limit' }>;
  readonly label: string;
  readonly description: string | undefined;
  readonly placeholder: string | undefined;
  readonly error: string | undefined;
  readonly value: unknown;
  readonly change: (value: number | null) => void;
}

/** A number, or an empty input for no limit. */
export default function LimitControl({ type, value, change, ...props }: LimitControlProps) {
  return (
    <NumberInput
      {...props}
      thousandSeparator=","
      {...(type.isWhole ? { allowDecimal: false } : { decimalScale: 3 })}
      value={typeof value === 'number' ? value : ''}
      onChange={(changed) => change(typeof changed === 'number' ? changed : null)}
    />
  );
}
