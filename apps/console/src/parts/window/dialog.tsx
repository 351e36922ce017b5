import { Button, Group, Stack } from '@mantine/core';
import { Modal } from './modal.tsx';
import type { FormEvent, ReactNode } from 'react';
import { useFocusInvalid } from '../form/use-focus-invalid.ts';
import { Problem } from '../problem.tsx';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The word of the button that does it. */
  readonly action: string;
  /** What it does cannot be undone. */
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** A small form above the page: what is asked, one button that does it, one that does not. */
export function Dialog(props: DialogProps) {
  const { title, isOpen, onClose, action, isDangerous, isDisabled, isPending, error, onSubmit, children } = props;
  const formRef = useFocusInvalid(error);
  function submit(event: FormEvent): void {
    event.preventDefault();
    onSubmit();
  }
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }} centered>
      <form onSubmit={submit} ref={formRef}>
        <Stack>
          {children}
          {error !== null && <Problem title="This was not done" error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={isPending}
              disabled={isDisabled ?? false}
              {...(isDangerous && { color: 'red' })}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
