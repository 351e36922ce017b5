import {
  IconArchive,
  IconBuildingCommunity,
  IconChartLine,
  IconHeartbeat,
  IconKey,
  IconLock,
  IconMail,
  IconMapPin,
  IconStack2,
  type Icon,
} from '@tabler/icons-react';

/** By the label of a page of operators. */
export const operatorIcons: Readonly<Record<string, Icon>> = {
  Status: IconHeartbeat,
  Statistics: IconChartLine,
  Tenants: IconBuildingCommunity,
  Zones: IconMapPin,
  Lockouts: IconLock,
  Keys: IconKey,
  Retention: IconArchive,
  Mail: IconMail,
  Queues: IconStack2,
};
