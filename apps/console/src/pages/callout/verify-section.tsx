import { Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import type { CalloutDetails } from './callout-query.ts';
import { nodeVerifier, pythonVerifier } from './verify-code.ts';
import { Section } from '../../parts/page.tsx';
import { BodyView } from '../../parts/show/code.tsx';

const languages = { Node: nodeVerifier, Python: pythonVerifier } as const;
type Language = keyof typeof languages;

/** A whole program that verifies this very callout, to find out why a receiver refuses the signature. */
export function VerifySection({ callout }: { readonly callout: CalloutDetails }) {
  const attempts = callout.attempts.filter(({ number }) => number > 0);
  const [language, setLanguage] = useState<Language>('Node');
  const [number, setNumber] = useState(attempts.at(-1)?.number);
  const attempt = attempts.find((one) => one.number === number) ?? attempts.at(-1);
  if (attempt === undefined) return null;
  return (
    <Section
      title="Verify its signature"
      lead="A program with the raw body and the headers of an attempt. Fill in the secret or the public key, and the signature that your receiver got: it says whether they fit, and which signature your secret makes."
    >
      <Group>
        <SegmentedControl
          aria-label="Language"
          value={language}
          onChange={setLanguage}
          data={Object.keys(languages) as Language[]}
        />
        {attempts.length > 1 && (
          <NativeSelect
            aria-label="Attempt to verify"
            value={attempt.number}
            onChange={(event) => setNumber(Number(event.currentTarget.value))}
            data={attempts.map((one) => ({ value: String(one.number), label: `Attempt ${one.number}` }))}
          />
        )}
      </Group>
      <BodyView
        text={languages[language]({ id: callout.id, body: callout.body, attempt })}
        label={`${language} program`}
      />
      <Text c="dimmed">The delivery log keeps no signatures: log the header webhook-signature in your receiver.</Text>
    </Section>
  );
}
