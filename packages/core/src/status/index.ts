export { installationProblems } from './installation-problems.ts';
export { missingKeySentence, pendingEventsSentence, refusedMailSentence } from './status-sentences.ts';
