import { SegmentedControl } from '@mantine/core';
import { Section } from '../section.tsx';
import type { WebhookSettings } from './webhook-draft.ts';

const periods = [
  { value: 'none', label: 'None' },
  { value: 'hour', label: 'Every hour' },
  { value: 'day', label: 'Every day' },
] as const;

interface DigestInputProps {
  readonly settings: WebhookSettings;
  readonly set: (change: Partial<WebhookSettings>) => void;
}

/** How often the receiver is notified which callouts were delivered. */
export function DigestInput({ settings, set }: DigestInputProps) {
  return (
    <Section
      title="Digests"
      lead="A digest is one more callout. It says which callouts were delivered, so that the receiver can prove that none is missing."
    >
      <SegmentedControl
        aria-label="Digests"
        style={{ alignSelf: 'flex-start' }}
        value={settings.digestEvery}
        onChange={(digestEvery) => set({ digestEvery })}
        data={[...periods]}
      />
    </Section>
  );
}
