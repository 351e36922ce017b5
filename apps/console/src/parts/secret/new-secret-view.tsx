import { Alert, Button, Code, Group, List, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Icon } from '../icon.tsx';
import { forgetSecret, useNewSecret } from './new-secrets.ts';
import { Copy } from '../show/code.tsx';

interface NewSecretViewProps {
  /** Such as `Account/3`. */
  readonly webhook: string;
  readonly name: string;
  readonly isActive: boolean;
}

/** The secret that was just given to a webhook, until the person says that it is copied; and what is to be done next. */
export default function NewSecretView({ webhook, name, isActive }: NewSecretViewProps) {
  const secret = useNewSecret(webhook);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  if (secret === undefined) return null;
  const { secretKey, cause, warnings } = secret;
  return (
    <Stack component="section" aria-label="New secret">
      <Title order={2} ref={heading} tabIndex={-1} className="break-anywhere">
        {cause === 'created' ? `${name} is created` : 'The secret is changed'}
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
      <Alert title="Copy the secret into your receiver now" icon={<Icon of="key" size={18} />}>
        <Stack gap="xs" align="flex-start">
          <Text>
            It is not shown again after you close this. Your receiver verifies with it that a callout comes from here.
          </Text>
          <Code className="break-anywhere">{secretKey}</Code>
          <Group gap="xs">
            <Copy value={secretKey} label="Copy the secret" size="sm" />
            <Button leftSection={<Icon of="check" />} onClick={() => forgetSecret(webhook)}>
              I have copied it
            </Button>
          </Group>
        </Stack>
      </Alert>
      {cause === 'created' && (
        <Text>
          {isActive
            ? 'Then send a test: a callout with sample values, signed like every other.'
            : 'The webhook is inactive: activate it in its settings, then send a test.'}
        </Text>
      )}
    </Stack>
  );
}
