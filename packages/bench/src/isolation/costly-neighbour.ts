import { createClient } from '@callout/client';
import { drive } from '../driver/drive.ts';
import { areAllAccepted, type Installation } from '../installation.ts';
import { addTenant } from '../tenant.ts';

/** Another tenant of an installation. */
export interface CostlyNeighbour {
  /** Sends so many notes, as many in a second. @throws Error when one is not accepted. */
  send(notes: number, notesPerS: number): Promise<void>;
}

/** As many as a condition may have, each with as long a text as it may have. */
const EXPRESSIONS = 50;
const LONGEST_CONTAINS = 250;
/** The longest text of the catalogue. */
const NOTE_CHARACTERS = 32_000;
const NOTES_PER_REQUEST = 10;

/**
 * Adds a tenant whose webhook has the costliest condition that is accepted: each text that it looks for is found in each
 * place of a note but for its last character. It never holds, so nothing is sent.
 */
export async function addCostlyNeighbour(
  { apiUrl }: Pick<Installation, 'apiUrl'>,
  databaseUrl: string,
): Promise<CostlyNeighbour> {
  const { integrator, source } = await addTenant(databaseUrl, 'neighbour');
  await createClient({ baseUrl: apiUrl, headers: integrator }).POST('/v1.0/TicketNoteWebhooks', {
    body: {
      name: 'bench.costly',
      webhookUrl: 'pull:',
      deactivationUrl: 'pull:',
      secretKey: 'a secret of thirty-two characters',
      isActive: true,
      isSubscribedToCreateEvents: true,
      fields: [{ field: 'description', isSubscribedField: true }],
      condition: {
        op: 'or',
        items: Array.from({ length: EXPRESSIONS }, (_, nth) => ({
          op: 'contains' as const,
          field: 'description',
          value: `${'a'.repeat(LONGEST_CONTAINS - 1 - nth)}b`,
        })),
      },
    },
  });
  let sent = 0;
  return {
    async send(notes, notesPerS) {
      const first = sent;
      sent += notes;
      await drive({
        url: `${apiUrl}/v1.0/EntityEvents`,
        headers: source,
        events: notes,
        eventsPerRequest: NOTES_PER_REQUEST,
        body: (from, to) => notesBody(first + from, first + to),
        isAccepted: areAllAccepted,
        connections: 1,
        rate: notesPerS,
      });
    },
  };
}

function notesBody(from: number, to: number): Buffer {
  const events = Array.from({ length: to - from }, (_, nth) => {
    const id = from + nth + 1;
    // Begins differently, so that each is a text of its own.
    const description = String(id).padEnd(NOTE_CHARACTERS, 'a');
    return { eventID: `note-${id}`, entityType: 'TicketNote', action: 'Create', id, fields: { description } };
  });
  return Buffer.from(JSON.stringify({ events }));
}
