import { oneLine } from './text/clean-text.ts';
import type { Draft } from './text/draft.ts';
import type { StoredAlert } from './notification.ts';
import { durationFact, momentFact } from './text/words.ts';

const longestDetail = 1_000;

/** Of one alert, or of several that came together: what is wrong with the installation, or was. */
export function draftAlerts(alerts: readonly StoredAlert[], installation: string): Draft {
  const areOver = alerts.every(({ until }) => Boolean(until));
  const items = alerts.map((alert) => ({
    title: capital(alert.title),
    sentences: [`${alert.until ? 'When it was raised: ' : ''}${oneLine(alert.detail, longestDetail)}`],
    facts: [
      ...momentFact('Since', alert.since),
      ...momentFact('Until', alert.until),
      ...(alert.until ? [durationFact(alert.since, alert.until)] : []),
    ],
  }));
  const [only] = items.length === 1 ? items : [];
  const over = only === undefined ? `${items.length} alerts of ${installation} are` : `An alert of ${installation} is`;
  return {
    headline: areOver ? `${over} over.` : `${installation} needs attention.`,
    opening: only === undefined ? [] : [`${areOver ? 'The alert was: ' : ''}${only.title}.`, ...only.sentences],
    facts: only?.facts ?? [],
    ...(only === undefined ? { items } : {}),
    next: areOver ? [] : ['You get one more mail when this is over, and none in between.'],
    advice: areOver ? [] : [...new Set(alerts.flatMap(({ advice }) => advice))].map((say) => ({ say })),
    link: undefined,
    footer: [
      `This is about the installation ${installation}.`,
      'You get this mail because your address is one of OPERATOR_MAIL.',
    ],
  };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
