import { Button, Group, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { Modal } from './modal.tsx';

/** Asks before a page is left whose changes are not saved. */
export function LeaveWarning({ hasChanges }: { readonly hasChanges: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: () => hasChanges,
    enableBeforeUnload: () => hasChanges,
    withResolver: true,
  });
  return (
    <Modal opened={blocker.status === 'blocked'} onClose={() => blocker.reset?.()} title="Leave without saving?">
      <Stack>
        <Text>What you have changed on this page is not saved.</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => blocker.proceed?.()}>
            Leave, and lose the changes
          </Button>
          <Button data-autofocus onClick={() => blocker.reset?.()}>
            Stay on the page
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
