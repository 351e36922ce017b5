import type { DeliveryStatistics } from './overview-queries.ts';

type Counts = DeliveryStatistics['totals'];

/** What attempts are divided by: what their receivers answered, or why none did. */
export const answers = [
  { name: 'status2xx', label: 'Delivered (2xx)', color: 'teal.6' },
  { name: 'status3xx', label: 'Redirects (3xx)', color: 'cyan.6' },
  { name: 'status4xx', label: '4xx', color: 'orange.6' },
  { name: 'status5xx', label: '5xx', color: 'red.7' },
  { name: 'timeout', label: 'Timed out', color: 'grape.6' },
  { name: 'connection', label: 'No connection', color: 'indigo.6' },
  { name: 'other', label: 'Failed otherwise', color: 'gray.6' },
] as const;

/** How many attempts got each answer. */
export const answersOf = ({ attempts, failedAttempts, failures }: Counts) => ({
  ...failures,
  status2xx: attempts - failedAttempts,
});
