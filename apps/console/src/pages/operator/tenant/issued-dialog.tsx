import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import type { IssuedCredential } from '../../../api/operator.ts';
import { Copy } from '../../../parts/show/code.tsx';
import { Modal } from '../../../parts/window/modal.tsx';

interface IssuedDialogProps {
  /** Null: closed. */
  readonly credential: IssuedCredential | null;
  readonly onClose: () => void;
}

/**
 * Secret and code, for the only time: a click beside the dialog does not close the dialog, since nothing brings both
 * back.
 */
export function IssuedDialog({ credential, onClose }: IssuedDialogProps) {
  const shown = [
    ['User name', credential?.userName],
    ['Secret', credential?.secret],
    ['Integration code', credential?.apiIntegrationCode],
  ].filter((pair): pair is [string, string] => pair[1] !== undefined);
  return (
    <Modal
      opened={credential !== null}
      onClose={onClose}
      title="Store these now"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      centered
    >
      <Stack>
        <Alert color="yellow" title="They are shown this once">
          Only a hash of the secret is kept. Give them to the owner of the credential by a safe way.
        </Alert>
        {shown.map(([label, value]) => (
          <Stack key={label} gap={4}>
            <Group justify="space-between">
              <Text fw={600}>{label}</Text>
              <Copy value={value} label={`Copy the ${label.toLowerCase()}`} />
            </Group>
            <Code block className="break-anywhere" aria-label={label}>
              {value}
            </Code>
          </Stack>
        ))}
        <Group justify="space-between">
          <Copy value={shown.map(([label, value]) => `${label}: ${value}`).join('\n')} label="Copy all" />
          <Button onClick={onClose}>I have stored them</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
