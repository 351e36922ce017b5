import { parser } from '@prometheus-io/lezer-promql';

/** A metric that a query selects. */
export interface Selected {
  readonly metric: string;
  /** Labels in its braces, with the values of those with `=`. */
  readonly labels: readonly (readonly [name: string, value: string | undefined])[];
  /** Whether its values of some time are selected, and not only the last one. */
  readonly isRange: boolean;
}

/** The names in a query. */
export interface QueryNames {
  readonly selected: readonly Selected[];
  /** Labels that results are grouped by. */
  readonly groupedBy: readonly string[];
}

/** Reads a query of Prometheus. @throws Error when it is none. */
export function readQuery(query: string): QueryNames {
  const selected: { metric: string; labels: [string, string | undefined][]; isRange: boolean }[] = [];
  const groupedBy: string[] = [];
  let isGrouping = false;
  let rangeTo = 0;
  parser.parse(query).iterate({
    enter({ name, type, from, to }) {
      const text = query.slice(from, to);
      if (type.isError) throw new Error(`${query}: not understood from character ${from} on`);
      const last = selected.at(-1);
      if (name === 'MatrixSelector') rangeTo = to;
      else if (name === 'Identifier') selected.push({ metric: text, labels: [], isRange: from < rangeTo });
      else if (name === 'GroupingLabels') isGrouping = true;
      else if (name === 'LabelMatchers') isGrouping = false;
      else if (name === 'LabelName' && isGrouping) groupedBy.push(text);
      else if (name === 'UnquotedLabelMatcher') {
        const [, label = '', operator, value] = /^(\w+)\s*(=~|!=|!~|=)\s*["'](.*)["']$/.exec(text) ?? [];
        last?.labels.push([label, operator === '=' ? value : undefined]);
      }
    },
  });
  return { selected, groupedBy };
}
