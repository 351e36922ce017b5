import { Group, NumberInput, Switch } from '@mantine/core';
import { errorsAt } from '../form/form.ts';
import { Note } from '../show/fact.tsx';
import { settingsInput, type SettingsInputsProps } from './settings-inputs.tsx';

type LimitKey = 'maxCallsPerSecond' | 'maxConcurrentCalls';

/** How many callouts there are, and how fast they go out. */
export default function DeliveryInputs(props: SettingsInputsProps) {
  const { settings, set, error } = props;
  const limit = (key: LimitKey) => ({
    placeholder: 'no limit',
    thousandSeparator: ',',
    value: settings[key] ?? '',
    onChange: (value: number | string) => set({ [key]: typeof value === 'number' ? value : null }),
    error: errorsAt(error, key),
  });
  return (
    <>
      <Switch
        label="Merge while waiting"
        description="While a callout has not been tried, later changes of its record go into it: after an outage, the receiver gets one for each record"
        {...settingsInput(props).check('mergeWhileWaiting')}
      />
      <Group align="flex-start">
        <NumberInput
          flex="1 1 200px"
          label="Calls per second"
          description="0.1 to 1,000; callouts beyond it wait"
          decimalScale={3}
          {...limit('maxCallsPerSecond')}
        />
        <NumberInput
          flex="1 1 200px"
          label="Calls at once"
          description="1 to 200 requests under way at a time"
          allowDecimal={false}
          {...limit('maxConcurrentCalls')}
        />
      </Group>
      <Note>Without a limit, Callout adjusts to the receiver by itself.</Note>
    </>
  );
}
