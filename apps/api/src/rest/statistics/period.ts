import type { StatisticsPeriod } from '@callout/history/statistics/counted-rows';
import { judged, readInstant } from '../../http/route/read-parameters.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const unitMs = { minute: minuteMs, hour: hourMs } as const;
/** Up to a length of so much there is a point for each minute by default. */
const mostByMinuteMs = 6 * hourMs;
/** The most points of a response: a day of minutes, or three months of hours. */
const mostPoints = { minute: 24 * 60, hour: 93 * 24 } as const;

/**
 * Reads `from`, `to` and `interval` of a query; both ends are moved to full minutes or hours, which makes each point
 * complete. Throws a 400 Problem with a sentence for every error.
 */
export function periodOf(query: Readonly<Record<string, string>>, now: Date): StatisticsPeriod {
  return judged((problems) => {
    const to = readInstant(query['to'] || null, 'to', problems) ?? now;
    const from = readInstant(query['from'] || null, 'from', problems) ?? new Date(to.getTime() - hourMs);
    const intervalName = query['interval']?.toLowerCase();
    const chosen = to.getTime() - from.getTime() <= mostByMinuteMs ? 'minute' : 'hour';
    const interval: StatisticsPeriod['interval'] =
      intervalName === 'minute' || intervalName === 'hour' ? intervalName : chosen;
    if (intervalName !== undefined && intervalName !== interval) {
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
