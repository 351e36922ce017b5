import { Alert, Button, Group, Progress as ProgressBar, Stack, Text } from '@mantine/core';
import type { Key } from '../../api/operator.ts';
import { beginReencryption, type Progress, useReencryption } from './reencrypt-run.ts';
import { Problem } from '../../parts/loaded.tsx';

interface ReencryptionProps {
  readonly keys: readonly Key[];
  /** All processes have equal keys. */
  readonly hasOneRing: boolean;
}

/** Encrypts the secrets under older keys with the current key, and shows the progress. */
export function Reencryption({ keys, hasOneRing }: ReencryptionProps) {
  const { state, total, progress, error } = useReencryption();
  const secretsLeft = keys
    .filter((key) => key.state === 'decrypts' || key.state === 'missing')
    .reduce((sum, { secrets }) => sum + secrets, 0);
  if (secretsLeft === 0 && state === 'idle') {
    return <Text>All secrets are encrypted with the current key.</Text>;
  }
  const done = progress.reencrypted + progress.unreadable.length;
  const isRunning = state === 'running';
  return (
    <Stack gap="sm" maw={560}>
      {secretsLeft > 0 && (
        <Group>
          <Button loading={isRunning} disabled={!hasOneRing} onClick={() => void beginReencryption(secretsLeft)}>
            Re-encrypt {secretsLeft.toLocaleString()} {secretsLeft === 1 ? 'secret' : 'secrets'}
          </Button>
        </Group>
      )}
      {(secretsLeft > 0 || isRunning) && (
        <Text c="dimmed">
          Keep this tab open meanwhile, on any page: each batch is a request of it, so that it can be stopped at any
          time. What is done stays done: begun again, it goes on where it stopped. API and workers go on as usual.
        </Text>
      )}
      {isRunning && (
        <>
          <ProgressBar value={total === 0 ? 100 : Math.min(100, (100 * done) / total)} aria-label="Re-encrypted" />
          <Text component="output">
            {done.toLocaleString()} of {total.toLocaleString()}
          </Text>
        </>
      )}
      {state === 'stopped' && (
        <Problem title="Re-encryption stopped" error={error} retry={() => void beginReencryption(secretsLeft)} />
      )}
      {state === 'done' && <Outcome progress={progress} />}
    </Stack>
  );
}

function Outcome({ progress: { reencrypted, unreadable } }: { readonly progress: Progress }) {
  return (
    <Alert
      color={unreadable.length === 0 ? 'green' : 'red'}
      title={`${reencrypted.toLocaleString()} ${reencrypted === 1 ? 'secret is' : 'secrets are'} re-encrypted`}
    >
      {unreadable.length === 0
        ? 'The old keys no longer protect anything: you can remove them from SECRET_KEYS.'
        : `${unreadable.length.toLocaleString()} do not open, since their key is missing: ${unreadable
            .slice(0, 10)
            .map(({ tenantID, webhookGUID, keyID }) => {
              const owner = webhookGUID === null ? 'the private key' : `webhook ${webhookGUID}`;
              return `${owner} of tenant ${tenantID} (key ${keyID})`;
            })
            .join(', ')}.`}
    </Alert>
  );
}
