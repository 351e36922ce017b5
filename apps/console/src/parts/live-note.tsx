import { Badge } from '@mantine/core';
import type { LiveStatus } from '../api/live-channel.ts';

const looks = {
  connecting: { color: 'gray', text: () => 'Connecting' },
  live: { color: 'green', text: () => 'Live' },
  asking: { color: 'yellow', text: (reason) => `${reason ?? 'Not live'}: asking every 5 s` },
  reconnecting: { color: 'yellow', text: (reason) => `${reason ?? 'Reconnecting'}: asking every 5 s` },
} as const satisfies Record<LiveStatus['state'], { color: string; text: (reason: string | null) => string }>;

/** Says whether the page shows what happens as it happens. */
export function LiveNote({ status: { state, reason } }: { readonly status: LiveStatus }) {
  const { color, text } = looks[state];
  return (
    <Badge component="output" variant="dot" color={color} size="lg" tt="none" fw={400} className="no-print">
      {text(reason)}
    </Badge>
  );
}
