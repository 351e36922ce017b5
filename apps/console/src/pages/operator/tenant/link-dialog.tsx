import { Code, Stack, Text } from '@mantine/core';
import type { SignInLink } from '../../../api/operator.ts';
import { Copy } from '../../../parts/show/code.tsx';
import { Time } from '../../../parts/show/time.tsx';
import { Modal } from '../../../parts/window/modal.tsx';

interface LinkDialogProps {
  readonly title: string;
  /** Null: closed. */
  readonly link: SignInLink | null;
  readonly onClose: () => void;
}

/** A sign-in link, to be copied now: nothing shows the link again. */
export function LinkDialog({ title, link, onClose }: LinkDialogProps) {
  return (
    <Modal opened={link !== null} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }} centered>
      {link !== null && (
        <Stack>
          <Text>
            Send it to the person it is for, and to no one else: it signs in the first person to open it, once, until{' '}
            <Time value={link.expiresDateTime} />.
          </Text>
          <Code block className="break-anywhere" data-testid="link">
            {link.url}
          </Code>
          <div>
            <Copy value={link.url} label="Copy the link" />
          </div>
        </Stack>
      )}
    </Modal>
  );
}
