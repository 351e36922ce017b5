import type { ProblemDetail } from '@callout/core/errors';
import type { StatisticsPeriod } from '@callout/db/statistics';
import { judged } from '../log/filter/filters.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const unitMs = { minute: minuteMs, hour: hourMs } as const;
/** Up to here there is a point for each minute, unless it is asked for otherwise. */
const mostByMinuteMs = 6 * hourMs;
/** The most points that an answer has: a day of minutes, or three months of hours. */
const mostPoints = { minute: 24 * 60, hour: 93 * 24 } as const;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/u;

/**
 * Reads `from`, `to` and `interval` of a query; both ends are moved to those of minutes or hours, so that each point is
 * whole. Throws a 400 Problem with a sentence for everything that is wrong.
 */
export function periodOf(query: Readonly<Record<string, string>>, now: Date): StatisticsPeriod {
  return judged((problems) => {
    const to = readInstant('to', query['to'], problems) ?? now;
    const from = readInstant('from', query['from'], problems) ?? new Date(to.getTime() - hourMs);
    const given = query['interval']?.toLowerCase();
    const chosen = to.getTime() - from.getTime() <= mostByMinuteMs ? 'minute' : 'hour';
    const interval: StatisticsPeriod['interval'] = given === 'minute' || given === 'hour' ? given : chosen;
    if (given !== undefined && given !== interval) {
      problems.push({ code: 'invalid', field: 'interval', message: 'interval must be minute or hour' });
    }
    const unit = unitMs[interval];
    const period = {
      from: new Date(Math.floor(from.getTime() / unit) * unit),
      to: new Date(Math.ceil(to.getTime() / unit) * unit),
      interval,
    };
    const points = (period.to.getTime() - period.from.getTime()) / unit;
    if (points < 1) problems.push({ code: 'invalid', field: 'to', message: 'to must be later than from' });
    if (points > mostPoints[interval]) {
      const most = interval === 'minute' ? 'a day by minutes: take interval=hour' : 'three months';
      problems.push({ code: 'invalid', field: 'from', message: `from and to must be no further apart than ${most}` });
    }
    return period;
  });
}

function readInstant(field: string, text: string | undefined, problems: ProblemDetail[]): Date | undefined {
  if (text === undefined || text === '') return undefined;
  const moment = new Date(text);
  if (instant.test(text) && !Number.isNaN(moment.getTime())) return moment;
  problems.push({ code: 'invalid', field, message: `${field} must be a date and time such as 2026-01-15T09:30:00Z` });
  return undefined;
}
