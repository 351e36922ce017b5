import { Alert, Button, Code, Group, List, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Copy } from '../../parts/show/copy.tsx';
import { TestButton } from '../webhook/test-button.tsx';
import type { MadeWebhook, NewWebhook } from './new-webhook.ts';

interface WebhookMadeProps {
  readonly webhook: NewWebhook;
  readonly made: MadeWebhook;
}

/** What there is to do after creating a webhook: keep the secret, and try whether the receiver takes a signed callout. */
export function WebhookMade({ webhook: { entity, settings, secretKey }, made: { id, warnings } }: WebhookMadeProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <Stack maw={760}>
      <Title order={2} ref={heading} tabIndex={-1} className="break-anywhere">
        {settings.name} is created
      </Title>
      {warnings.length > 0 && (
        <Alert color="yellow" title="Note">
          <List size="sm">
            {warnings.map((message) => (
              <List.Item key={message}>{message}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Alert title="Copy the secret into your receiver now">
        <Stack gap="xs" align="flex-start">
          <Text size="sm">It is not shown again. Your receiver verifies with it that a callout comes from here.</Text>
          <Code className="break-anywhere">{secretKey}</Code>
          <Copy value={secretKey} label="Copy the secret" />
        </Stack>
      </Alert>
      <Text size="sm">
        {settings.isActive
          ? 'Then send a test: a callout with sample values, signed like every other.'
          : 'The webhook is inactive: activate it in its settings, then send a test.'}
      </Text>
      <Group>
        {settings.isActive && <TestButton address={{ entity, id }} />}
        <Button component={Link} to={`/webhooks/${entity.type}/${id}`}>
          Open the webhook
        </Button>
      </Group>
    </Stack>
  );
}
