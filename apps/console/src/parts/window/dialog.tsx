import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { submitting, useFocusInvalid } from '../form/form.ts';
import { Problem } from '../loaded.tsx';
import { Modal } from './modal.tsx';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The word of the button that does it. */
  readonly action: string;
  /** The word of the button that does not. */
  readonly refusal?: string;
  /** What it does cannot be undone. */
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  /** What it does. */
  readonly mutation: { readonly mutate: () => void; readonly isPending: boolean; readonly error: Error | null };
  readonly children: ReactNode;
}

/** A small form or a question above the page: what is asked, one button that does it, one that does not. */
export function Dialog(props: DialogProps) {
  const { title, isOpen, onClose, action, refusal = 'Cancel', isDangerous, isDisabled, mutation, children } = props;
  const { mutate, isPending, error } = mutation;
  const formRef = useFocusInvalid(error);
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} centered>
      <form onSubmit={submitting(() => mutate())} ref={formRef}>
        <Stack>
          {children}
          {error !== null && <Problem title="This was not done" error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {refusal}
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
