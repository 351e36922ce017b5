/** The body of an answer. */
export type Body = Readonly<Record<string, unknown>>;

interface Items {
  readonly items: readonly { readonly id?: string; readonly serviceEventID?: string }[];
}

/** The ids of a page, in its order. */
export function idsOf(body: Body): unknown {
  return (body as unknown as Items).items.map(({ id, serviceEventID }) => id ?? serviceEventID);
}

export function countOf(body: Body): unknown {
  return body['queryCount'];
}

interface CalloutAnswer {
  readonly item: {
    readonly id: string;
    readonly sequenceNumber: number;
    readonly state: string;
    readonly body: string;
    readonly attempts: readonly { readonly number: number }[];
  };
}

/** What a callout must be; its body tells the number too. */
export function readCallout(body: Body): unknown {
  const { id, sequenceNumber, state, attempts, body: sent } = (body as unknown as CalloutAnswer).item;
  const { SequenceNumber: number } = JSON.parse(sent) as { SequenceNumber: number };
  if (number !== sequenceNumber) return `callout ${sequenceNumber} has the body of ${number}`;
  return { id, sequenceNumber, state, attempts: attempts.length };
}

interface EventAnswer {
  readonly item: {
    readonly verdicts: readonly {
      readonly rule: string;
      readonly callout: { readonly id: string; readonly state: string };
    }[];
  };
}

/** The verdicts on an event, each with its callout. */
export function readEvent(body: Body): unknown {
  return (body as unknown as EventAnswer).item.verdicts.map(({ rule, callout: { id, state } }) => ({
    rule,
    id,
    state,
  }));
}

interface ExplainAnswer {
  readonly item: { readonly rule: string; readonly callout: { readonly id: string } };
}

export function readExplanation(body: Body): unknown {
  const { rule, callout } = (body as unknown as ExplainAnswer).item;
  return { rule, id: callout.id };
}
