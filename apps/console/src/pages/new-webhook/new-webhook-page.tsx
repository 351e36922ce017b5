import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Reading } from '../../parts/reading.tsx';
import { generateSecret } from '../../parts/form/generate-secret.ts';
import { storedWebhookQuery } from '../../parts/webhook-form/stored-webhook-query.ts';
import { emptyDraft, type WebhookDraft } from '../../parts/webhook-form/webhook-draft.ts';
import { entities, entityOfType, type Entity } from '../../api/entities.ts';
import { NewWebhookForm } from './new-webhook-form.tsx';

const route = getRouteApi('/webhooks/new');
const mostName = 50;

/** Makes a webhook, from nothing or like another (`?from=Account/3`). */
export default function NewWebhookPage() {
  const { from } = route.useSearch() as { from?: string };
  const [type = '', id = ''] = from?.split('/') ?? [];
  const entity = entityOfType(type);
  const [begin] = useState(() => ({ entity: entity ?? entities[0], ...emptyDraft, secretKey: generateSecret() }));
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
  return <CopyForm entity={entity} draft={stored.data.draft} />;
}

function CopyForm({ entity, draft }: { readonly entity: Entity; readonly draft: WebhookDraft }) {
  const [begin] = useState(() => {
    const name = `${draft.settings.name.slice(0, mostName - ' copy'.length)} copy`;
    return { entity, ...draft, settings: { ...draft.settings, name }, secretKey: generateSecret() };
  });
  return <NewWebhookForm begin={begin} />;
}
