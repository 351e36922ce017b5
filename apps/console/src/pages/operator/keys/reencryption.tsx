import { Alert, Button, Group, Progress as ProgressBar, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../../parts/problem.tsx';
import type { Key } from '../../../api/operator.ts';
import { reencryptAll, type Progress } from './keys-query.ts';

interface ReencryptionProps {
  readonly keys: readonly Key[];
  /** All processes have the same keys. */
  readonly hasOneRing: boolean;
}

/** Encrypts what other keys protect with the one that encrypts now, and shows how far it is. */
export function Reencryption({ keys, hasOneRing }: ReencryptionProps) {
  const queryClient = useQueryClient();
  const [progress, setProgress] = useState<Progress>({ reencrypted: 0, unreadable: [] });
  const [total, setTotal] = useState(0);
  const left = keys
    .filter(({ state }) => state === 'decrypts' || state === 'missing')
    .reduce((sum, { secrets }) => sum + secrets, 0);
  const run = useMutation({
    mutationFn: () => {
      setTotal(left);
      return reencryptAll(setProgress);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['operator', 'keys'] }),
  });
  if (left === 0 && !run.isSuccess && !run.isError) {
    return <Text size="sm">All secrets are encrypted with the current key.</Text>;
  }
  const done = progress.reencrypted + progress.unreadable.length;
  return (
    <Stack gap="sm" maw={560}>
      {left > 0 && (
        <Group>
          <Button loading={run.isPending} disabled={!hasOneRing} onClick={() => run.mutate()}>
            Re-encrypt {left.toLocaleString()} {left === 1 ? 'secret' : 'secrets'}
          </Button>
        </Group>
      )}
      {run.isPending && (
        <>
          <ProgressBar value={total === 0 ? 100 : Math.min(100, (100 * done) / total)} aria-label="Re-encrypted" />
          <Text size="sm" component="output">
            {done.toLocaleString()} of {total.toLocaleString()}. API and workers go on meanwhile; when you leave this
            page it stops, and can be begun again.
          </Text>
        </>
      )}
      {run.isError && <Problem title="Re-encryption stopped" error={run.error} retry={() => run.mutate()} />}
      {run.isSuccess && (
        <Alert
          color={progress.unreadable.length === 0 ? 'green' : 'red'}
          title={`${progress.reencrypted.toLocaleString()} ${progress.reencrypted === 1 ? 'secret is' : 'secrets are'} re-encrypted`}
        >
          {progress.unreadable.length === 0
            ? 'The old keys no longer protect anything: you can remove them from SECRET_KEYS.'
            : `${progress.unreadable.length.toLocaleString()} do not open, since their key is missing: ${progress.unreadable
                .slice(0, 10)
                .map(
                  ({ tenantID, webhookGUID, keyID }) => `webhook ${webhookGUID} of tenant ${tenantID} (key ${keyID})`,
                )
                .join(', ')}.`}
        </Alert>
      )}
    </Stack>
  );
}
