import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { copyReceiver, emptyReceiver } from '../../parts/receiver-form/receiver-draft.ts';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Reading } from '../../parts/reading.tsx';
import { generateSecret } from '../../parts/form/generate-secret.ts';
import { storedWebhookQuery, type StoredWebhook } from '../../parts/webhook-form/stored-webhook-query.ts';
import { emptyDraft } from '../../parts/webhook-form/webhook-draft.ts';
import { entities, entityOfType, type Entity } from '../../api/entities.ts';
import { NewWebhookForm } from './new-webhook-form.tsx';

const route = getRouteApi('/webhooks/new');
const mostName = 50;

/** Makes a webhook, from nothing or like another (`?from=Account/3`). */
export default function NewWebhookPage() {
  const { from } = route.useSearch() as { from?: string };
  const [type = '', id = ''] = from?.split('/') ?? [];
  const entity = entityOfType(type);
  const [begin] = useState(() => ({
    entity: entity ?? entities[0],
    ...emptyDraft,
    secretKey: generateSecret(),
    receiver: emptyReceiver,
  }));
  return (
    <Page title="New webhook" lead="It tells your program when records change.">
      {entity !== undefined && Number(id) > 0 ? (
        <Duplicate entity={entity} id={Number(id)} />
      ) : (
        <NewWebhookForm begin={begin} />
      )}
    </Page>
  );
}

function Duplicate({ entity, id }: { readonly entity: Entity; readonly id: number }) {
  const stored = useQuery({ ...storedWebhookQuery(entity, id), staleTime: Infinity });
  if (stored.isError) return <Problem title="The webhook to copy could not be read" error={stored.error} />;
  if (stored.data === undefined) return <Reading label="the webhook to copy" />;
  return <CopyForm entity={entity} stored={stored.data} />;
}

interface CopyProps {
  readonly entity: Entity;
  readonly stored: StoredWebhook;
}

function CopyForm({ entity, stored: { draft, receiver } }: CopyProps) {
  const [{ begin, missing }] = useState(() => {
    const name = `${draft.settings.name.slice(0, mostName - ' copy'.length)} copy`;
    const settings = { ...draft.settings, name };
    const copied = copyReceiver(receiver);
    const own = { secretKey: generateSecret(), receiver: copied.draft };
    return { begin: { entity, ...draft, settings, ...own }, missing: copied.missing };
  });
  return (
    <Stack>
      <Alert color="gray" maw={760} title="Secrets are not copied">
        The copy signs with a new secret, which is below.
        {missing.length > 0 && ` Enter again: ${missing.join(', ')}.`}
      </Alert>
      <NewWebhookForm begin={begin} />
    </Stack>
  );
}
