import { Button, NumberInput, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { type WebhookAddress, webhookParams, webhookPath } from '../../api/entities.ts';
import { SignatureSection } from './signature-section.tsx';
import { SecretInput } from '../../parts/form/secret-input.tsx';
import { Problem } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { keepSecret } from '../../parts/secret/new-secrets.ts';

/** Gives the webhook another secret; for some hours callouts are signed with both, so that no receiver misses one. */
export default function SecretTab({ address }: { readonly address: WebhookAddress }) {
  const [secretKey, setSecretKey] = useState('');
  const [overlapHours, setOverlapHours] = useState<number | string>(24);
  const rotate = useMutation({
    mutationFn: async () => {
      const body = { secretKey, overlapHours: Number(overlapHours) };
      await api.POST(webhookPath(address, '/rotateSecret'), { params: webhookParams(address), body });
    },
    onSuccess() {
      keepSecret({ webhook: `${address.entity.type}/${address.id}`, secretKey, cause: 'rotated', warnings: [] });
      setSecretKey('');
    },
  });
  return (
    <Stack maw={560} gap={36}>
      <Section
        title="Rotate the secret"
        lead="The secret signs every callout and is never shown again. While it is rotated, callouts carry a signature of each of the two secrets: put the new one into the receiver within that time."
      >
        <SecretInput label="New secret" value={secretKey} set={setSecretKey} />
        <NumberInput
          label="Hours with both secrets"
          description="0 to 168; with 0 the old secret stops working at once"
          min={0}
          max={168}
          value={overlapHours}
          onChange={setOverlapHours}
        />
        {rotate.isError && <Problem title="The secret was not changed" error={rotate.error} />}
        <Button mr="auto" disabled={secretKey === ''} loading={rotate.isPending} onClick={() => rotate.mutate()}>
          Rotate the secret
        </Button>
      </Section>
      <SignatureSection address={address} />
    </Stack>
  );
}
