import { Button, Stack, Text } from '@mantine/core';
import type { WebhookAddress } from '../../api/entities.ts';
import { problemOf } from '../../parts/loaded.tsx';
import { useActivation } from '../../parts/webhook-versions/use-activation.ts';

interface ActivateButtonProps {
  readonly address: WebhookAddress;
  readonly name: string;
  readonly label: string;
}

/** Activates a webhook by one click; an activated webhook leaves the list. */
export default function ActivateButton({ label, ...webhook }: ActivateButtonProps) {
  const activate = useActivation(webhook, true);
  return (
    <Stack gap={4} align="flex-end">
      <Button size="xs" variant="default" loading={activate.isPending} onClick={() => activate.mutate()}>
        {label}
      </Button>
      {activate.error && (
        <Text role="alert" maw={320} ta="right" className="break-anywhere">
          {problemOf(activate.error)}
        </Text>
      )}
      {activate.met}
    </Stack>
  );
}
