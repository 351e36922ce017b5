import { Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { pathOf } from '../../api/entities.ts';
import { Problem } from '../../parts/problem.tsx';
import { generateSecret } from '../../parts/form/generate-secret.ts';
import { keepSecret } from '../../parts/secret/new-secrets.ts';
import { SignatureSection } from './signature-section.tsx';
import type { WebhookAddress } from './webhook-queries.ts';

/** Gives the webhook another secret; for some hours callouts are signed with both, so that no receiver misses one. */
export default function SecretTab({ address }: { readonly address: WebhookAddress }) {
  const [secretKey, setSecretKey] = useState('');
  const [overlapHours, setOverlapHours] = useState<number | string>(24);
  const rotate = useMutation({
    mutationFn: async () => {
      const path = pathOf(address.entity.collection, '/v1.0/CompanyWebhooks/{id}/rotateSecret');
      const body = { secretKey, overlapHours: Number(overlapHours) };
      await api.POST(path, { params: { path: { id: address.id } }, body });
    },
    onSuccess() {
      keepSecret({ webhook: `${address.entity.type}/${address.id}`, secretKey, cause: 'rotated', warnings: [] });
      setSecretKey('');
    },
  });
  return (
    <Stack maw={560}>
      <Text size="sm">
        The secret signs every callout and is never shown again. While it is rotated, callouts carry a signature of each
        of the two secrets: put the new one into the receiver within that time.
      </Text>
      <TextInput
        label="New secret"
        description="1 to 64 characters"
        value={secretKey}
        onChange={(event) => setSecretKey(event.currentTarget.value)}
        rightSectionWidth={100}
        rightSection={
          <Button size="compact-xs" variant="default" onClick={() => setSecretKey(generateSecret())}>
            Generate
          </Button>
        }
      />
      <NumberInput
        label="Hours with both"
        description="0 to 168; with 0 the old secret stops working at once"
        min={0}
        max={168}
        value={overlapHours}
        onChange={setOverlapHours}
      />
      {rotate.isError && <Problem title="The secret was not changed" error={rotate.error} />}
      <Group>
        <Button disabled={secretKey === ''} loading={rotate.isPending} onClick={() => rotate.mutate()}>
          Rotate the secret
        </Button>
      </Group>
      <SignatureSection address={address} />
    </Stack>
  );
}
