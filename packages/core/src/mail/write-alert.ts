import { oneLine } from './text/clean-text.ts';
import type { Draft } from './text/draft.ts';
import type { StoredAlert } from './notification.ts';
import { durationInWords, momentFact } from './text/words.ts';

const longestDetail = 1_000;

/** Of one alert, or of several that came together: what is wrong with the installation, or was. */
export function draftAlerts(alerts: readonly StoredAlert[], installation: string): Draft {
  const areOver = alerts.every(({ until }) => Boolean(until));
  const items = alerts.map((alert) => ({
    title: capital(alert.title),
    sentences: [oneLine(alert.detail, longestDetail)],
    facts: [
      ...momentFact('Since', alert.since),
      ...momentFact('Until', alert.until),
      ...(alert.until ? [{ label: 'That is', value: durationInWords(+alert.until - +alert.since) }] : []),
    ],
  }));
  const [only] = items.length === 1 ? items : [];
  return {
    headline: areOver ? `An alert of ${installation} is over.` : `${installation} needs an operator.`,
    opening: only === undefined ? [] : [`${only.title}.`, ...only.sentences],
    facts: only?.facts ?? [],
    ...(only === undefined ? { items } : {}),
    next: areOver ? [] : ['You get one more mail when it is over, and none in between.'],
    advice: areOver ? [] : [...new Set(alerts.flatMap(({ advice }) => advice))].map((say) => ({ say })),
    link: undefined,
    footer: [`This is about the installation ${installation}.`, 'You get this mail because OPERATOR_MAIL names you.'],
  };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
