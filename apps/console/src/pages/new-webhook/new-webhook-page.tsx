import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { addressOf, entities, type Entity, type WebhookAddress } from '../../api/entities.ts';
import { NewWebhookForm } from './new-webhook-form.tsx';
import { generateSecret } from '../../parts/form/secret-input.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { copyReceiver } from '../../parts/receiver-form/receiver-draft.ts';
import { type StoredWebhook, storedWebhookQuery } from '../../parts/webhook-form/stored-webhook-query.ts';
import { emptyDraft } from '../../parts/webhook-form/webhook-draft.ts';

const route = getRouteApi('/webhooks/new');
const mostName = 50;

/** Makes a webhook, from nothing or like another (`?from=Account/3`). */
export default function NewWebhookPage() {
  const { from = '' } = route.useSearch() as { from?: string };
  const [type = '', id = ''] = from.split('/');
  const address = addressOf(type, id);
  const [begin] = useState(() => ({
    entity: entities[0],
    ...emptyDraft,
    secretKey: generateSecret(),
  }));
  return (
    <Page title="New webhook" lead="It notifies your program when records change.">
      {address !== undefined ? <Duplicate address={address} /> : <NewWebhookForm begin={begin} />}
    </Page>
  );
}

function Duplicate({ address }: { readonly address: WebhookAddress }) {
  const stored = useQuery({ ...storedWebhookQuery(address), staleTime: Infinity });
  return (
    <Loaded query={stored} label="the webhook to copy">
      {(data) => <CopyForm entity={address.entity} stored={data} />}
    </Loaded>
  );
}

interface CopyProps {
  readonly entity: Entity;
  readonly stored: StoredWebhook;
}

function CopyForm({ entity, stored: { draft } }: CopyProps) {
  const [{ begin, missing }] = useState(() => {
    const name = `${draft.settings.name.slice(0, mostName - ' copy'.length)} copy`;
    const settings = { ...draft.settings, name };
    const copied = copyReceiver(draft.receiver);
    const own = { secretKey: generateSecret(), receiver: copied.draft };
    return { begin: { entity, ...draft, settings, ...own }, missing: copied.missing };
  });
  return (
    <Stack>
      <Alert color="gray" maw={760} title="Secrets are not copied">
        The copy signs with a new secret, which is shown when it is created.
        {missing.length > 0 && ` Under Authentication and headers, enter again: ${missing.join(', ')}.`}
      </Alert>
      <NewWebhookForm begin={begin} />
    </Stack>
  );
}
