import { oneLine } from '@callout/domain/mail/clean-text';
import type { Draft } from '../text/draft.rules.ts';
import type { StoredAlert } from './notification.rules.ts';
import { durationFact, momentFact } from '../text/words.rules.ts';

const longestDetail = 1_000;

/** The mail about one alert, or several of the same time: the present or past problems of the installation. */
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
    advice: areOver
      ? []
      : [...new Map(alerts.flatMap(({ advice }) => advice.map((step) => [step.say, step]))).values()],
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
