import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Suspense } from 'react';
import { api } from '../../api/client.ts';
import { type Entity, pathOf } from '../../api/entities.ts';
import { isPortal } from '../../api/session.ts';
import { lazyPart } from '../lazy-part.tsx';
import { Problem, Reading } from '../loaded.tsx';
import { Section } from '../page.tsx';
import { createBody, type WebhookDraft } from '../webhook-form/webhook-draft.ts';

// Fetched with the result.
const ChangeResult = lazyPart(() => import('./change-result.tsx'));

interface ChangePreviewProps {
  readonly entity: Entity;
  /** Undefined: not stored yet. */
  readonly id: number | undefined;
  readonly draft: WebhookDraft;
}

/** What the draft of a webhook would make of the last events, before it is saved. */
export function ChangePreview({ entity, id, draft }: ChangePreviewProps) {
  const preview = useMutation({
    mutationFn: async () => {
      const { isActive: _isActive, ...body } = createBody(draft);
      if (id === undefined) {
        const { webhookUrl: _url, deactivationUrl: _other, ...webhook } = body;
        const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/preview');
        return (await api.POST(path, { body: { webhook } as never })).data.item;
      }
      const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/{id}/preview');
      return (await api.POST(path, { params: { path: { id } }, body: body as never })).data.item;
    },
  });
  const { data } = preview;
  // The events are those of the whole tenant, which a portal may not read.
  if (isPortal) return null;
  return (
    <Section
      title={id === undefined ? 'What it would have sent' : 'What it would change'}
      lead={
        id === undefined
          ? 'Checks the last 100 events against what is entered here. Nothing is saved or sent.'
          : 'Checks the last 100 events against the stored webhook and against what is entered here. Nothing is saved or sent.'
      }
    >
      <Button
        variant="default"
        style={{ alignSelf: 'flex-start' }}
        loading={preview.isPending}
        onClick={() => preview.mutate()}
      >
        Try it with the last 100 events
      </Button>
      {preview.isError && <Problem title="There is no preview" error={preview.error} />}
      {data && (
        <Suspense fallback={<Reading label="the result" />}>
          <ChangeResult result={data} isStored={id !== undefined} />
        </Suspense>
      )}
    </Section>
  );
}
