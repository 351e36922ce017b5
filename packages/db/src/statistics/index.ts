export {
  createStatisticsReader,
  type DeliveryCounts,
  type StatisticsPeriod,
  type StatisticsReader,
  type StatisticsScope,
} from './read-statistics.ts';
export { rollUpDeliveries } from './roll-up.ts';
export {
  createWebhookStatesReader,
  type WebhookOutline,
  type WebhookState,
  type WebhookStatesReader,
} from './webhook-states.ts';
