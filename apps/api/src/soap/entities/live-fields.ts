/**
 * The order in which the live API of the family declares the fields of an entity, without the common fields of all
 * entities. Programs made from the live description with .NET's XmlSerializer number fields in the order of
 * declaration, and drop a later field without an error. Missing fields of the live API keep their places.
 */
const orders: Readonly<Record<string, readonly string[]>> = {
  Account: wordsOf(`
    Address1 Address2 AlternatePhone1 AlternatePhone2 AssetValue City CompetitorID Country CreateDate Fax KeyAccountIcon
    LastActivityDate MarketSegmentID AccountName AccountNumber OwnerResourceID ParentAccountID Phone PostalCode SICCode
    State StockMarket StockSymbol TerritoryID AccountType WebAddress Active ClientPortalActive TaskFireActive TaxExempt
    TaxRegionID TaxID AdditionalAddressInformation CountryID BillToAddressToUse BillToAttention BillToAddress1
    BillToAddress2 BillToCity BillToState BillToZipCode BillToCountryID BillToAdditionalAddressInformation InvoiceMethod
    InvoiceNonContractItemsToParentAccount QuoteTemplateID QuoteEmailMessageID InvoiceTemplateID InvoiceEmailMessageID
    CurrencyID BillToAccountPhysicalLocationID SurveyAccountRating CreatedByResourceID ApiVendorID EnabledForComanaged
    ImpersonatorCreatorResourceID LastTrackedModifiedDateTime PurchaseOrderTemplateID
  `),
  Contact: wordsOf(`
    Active AddressLine AddressLine1 AlternatePhone City Country CreateDate EMailAddress EMailAddress2 EMailAddress3
    Extension FaxNumber FirstName AccountID LastName LastActivityDate LastModifiedDate MiddleInitial MobilePhone Note
    Notification Phone RoomNumber State Title ZipCode AdditionalAddressInformation ExternalID CountryID BulkEmailOptOut
    BulkEmailOptOutTime SurveyOptOut NamePrefix NameSuffix FacebookUrl TwitterUrl LinkedInUrl PrimaryContact
    AccountPhysicalLocationID SolicitationOptOut SolicitationOptOutTime ApiVendorID ImpersonatorCreatorResourceID
  `),
  InstalledProduct: wordsOf(`
    CreateDate AccountID Active DailyCost HourlyCost InstallDate MonthlyCost Notes NumberOfUsers PerUseCost ProductID
    ReferenceNumber ReferenceTitle SerialNumber SetupFee WarrantyExpirationDate ContractID ServiceID ServiceBundleID
    Type Location ContactID VendorID InstalledByID InstalledByContactID ParentInstalledProductID LastModifiedTime
    ContractServiceID ContractServiceBundleID ServiceLevelAgreementID AccountPhysicalLocationID RMMDeviceID RMMDeviceUID
    RMMDeviceAuditArchitectureID RMMDeviceAuditDescription RMMDeviceAuditDisplayAdaptorID RMMDeviceAuditDomainID
    RMMDeviceAuditExternalIPAddress RMMDeviceAuditHostname RMMDeviceAuditIPAddress RMMDeviceAuditMacAddress
    RMMDeviceAuditManufacturerID RMMDeviceAuditMemoryBytes RMMDeviceAuditModelID RMMDeviceAuditMotherboardID
    RMMDeviceAuditOperatingSystem RMMDeviceAuditProcessorID RMMDeviceAuditServicePackID RMMDeviceAuditStorageBytes
    RMMDeviceAuditDeviceTypeID RMMDeviceAuditSNMPLocation RMMDeviceAuditSNMPName RMMDeviceAuditSNMPContact
    RMMDeviceAuditMobileNetworkOperatorID RMMDeviceAuditMobileNumber RMMDeviceAuditMissingPatchCount RMMOpenAlertCount
    RMMDeviceAuditLastUser DattoSerialNumber DattoInternalIP DattoRemoteIP DattoHostname DattoProtectedKilobytes
    DattoUsedKilobytes DattoAvailableKilobytes DattoPercentageUsed DattoOffsiteUsedBytes DattoOSVersionID
    DattoZFSVersionID DattoKernelVersionID DattoNICSpeedKilobitsPerSecond DattoDeviceMemoryMegabytes DattoUptimeSeconds
    DattoNumberOfAgents DattoNumberOfDrives DattoDrivesErrors DattoNumberOfVolumes DattoLastCheckInDateTime
    RMMDeviceAuditAntivirusStatusID RMMDeviceAuditBackupStatusID RMMDeviceAuditPatchStatusID
    RMMDeviceAuditSoftwareStatusID LastActivityPersonID LastActivityPersonType CreatedByPersonID ApiVendorID
    DeviceNetworkingID InstalledProductCategoryID SourceCostID SourceCostType ImpersonatorCreatorResourceID
  `),
  Ticket: wordsOf(`
    AccountID AllocationCodeID CompletedDate ContactID ContractID CreateDate CreatorResourceID Description DueDateTime
    EstimatedHours InstalledProductID IssueType LastActivityDate Priority QueueID AssignedResourceID
    AssignedResourceRoleID Source Status SubIssueType TicketNumber Title FirstResponseDateTime ResolutionPlanDateTime
    ResolvedDateTime FirstResponseDueDateTime ResolutionPlanDueDateTime ResolvedDueDateTime ServiceLevelAgreementID
    ServiceLevelAgreementHasBeenMet Resolution PurchaseOrderNumber TicketType ProblemTicketId OpportunityId
    ChangeApprovalBoard ChangeApprovalType ChangeApprovalStatus ChangeInfoField1 ChangeInfoField2 ChangeInfoField3
    ChangeInfoField4 ChangeInfoField5 LastCustomerNotificationDateTime LastCustomerVisibleActivityDateTime
    ContractServiceID ContractServiceBundleID HoursToBeScheduled MonitorTypeID MonitorID AEMAlertID TicketCategory
    ExternalID FirstResponseInitiatingResourceID FirstResponseAssignedResourceID ProjectID BusinessDivisionSubdivisionID
    CreatorType CompletedByResourceID AccountPhysicalLocationID LastActivityPersonType LastActivityResourceID
    ServiceLevelAgreementPausedNextEventHours CurrentServiceThermometerRating PreviousServiceThermometerRating
    ServiceThermometerTemperature ApiVendorID LastTrackedModificationDateTime RmaStatus RmaType
    ImpersonatorCreatorResourceID CreatedByContactID
  `),
  TicketNote: wordsOf(`
    CreatorResourceID Description LastActivityDate NoteType Publish TicketID Title ImpersonatorCreatorResourceID
    ImpersonatorUpdaterResourceID CreateDateTime CreatedByContactID
  `),
  Resource: wordsOf(`
    Active Email Email2 Email3 EmailTypeCode EmailTypeCode2 EmailTypeCode3 FirstName Gender Greeting HomePhone Initials
    LastName LocationID MiddleName MobilePhone OfficeExtension OfficePhone ResourceType Suffix Title
    TravelAvailabilityPct UserName UserType DefaultServiceDeskRoleID DateFormat TimeFormat Password PayrollType
    NumberFormat AccountingReferenceID InternalCost HireDate SurveyResourceRating LicenseType
  `),
  UserDefinedFieldDefinition: wordsOf(`
    Name Description UdfType DataType DefaultValue IsFieldMapping IsProtected IsEncrypted IsRequired IsActive CreateDate
    MergeVariableName CrmToProjectUdfId DisplayFormat SortOrder NumberOfDecimalPlaces IsVisibleToClientPortal IsPrivate
  `),
  AccountWebhook: wordsOf(`
    WebhookGUID Active Name WebhookUrl IsSubscribedToCreateEvents IsSubscribedToUpdateEvents IsSubscribedToDeleteEvents
    DeactivationUrl NotificationEmailAddress SendThresholdExceededNotification OwnerResourceID SecretKey Ready
  `),
  AccountWebhookField: wordsOf(`
    WebhookID FieldID IsSubscribedField IsDisplayAlwaysField
  `),
  AccountWebhookUdfField: wordsOf(`
    WebhookID UdfFieldID IsSubscribedField IsDisplayAlwaysField
  `),
  AccountWebhookExcludedResource: wordsOf(`
    WebhookID ResourceID
  `),
  WebhookEventErrorLog: wordsOf(`
    AccountWebhookID ContactWebhookID SequenceNumber Payload ErrorMessage CreateDateTime
  `),
  InstalledProductWebhook: wordsOf(`
    DeactivationUrl Active Ready IsSubscribedToCreateEvents IsSubscribedToDeleteEvents IsSubscribedToUpdateEvents Name
    NotificationEmailAddress OwnerResourceID SecretKey SendThresholdExceededNotification WebhookGUID WebhookUrl
  `),
  InstalledProductWebhookField: wordsOf(`
    FieldID IsDisplayAlwaysField IsSubscribedField WebhookID
  `),
  InstalledProductWebhookUdfField: wordsOf(`
    IsDisplayAlwaysField IsSubscribedField UdfFieldID WebhookID
  `),
  InstalledProductWebhookExcludedResource: wordsOf(`
    ResourceID WebhookID
  `),
};

/** Webhooks of entities without a known description are in the order of the first described entity. */
const FIRST_WEBHOOK = 'AccountWebhook';

/**
 * The places of an entity's fields, by name, from 0.
 * @param name of the entity, like `AccountWebhookField`.
 */
function placesOf(name: string): ReadonlyMap<string, number> {
  const order = orders[name] ?? orders[name.replace(/^.*Webhook(?=$|[A-Z])/u, FIRST_WEBHOOK)] ?? [];
  return new Map(order.map((field, place) => [field, place]));
}

/** Fields that are required by the live API alone or by REST alone, by entity and field. */
const required: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
  InstalledProductWebhook: { Active: false, SendThresholdExceededNotification: false },
};
const flagsAreRequired = new Set(['IsSubscribedField', 'IsDisplayAlwaysField']);

/** Whether the live API requires a field; undefined: as REST does. */
export function isRequiredLive(entityName: string, field: string): boolean | undefined {
  return flagsAreRequired.has(field) ? true : required[entityName]?.[field];
}

/** The fields of an entity in the order of the live API; further fields come at the end, in the order of REST. */
export function inLiveOrder<Field extends { readonly soapName: string }>(
  entityName: string,
  fields: readonly Field[],
): Field[] {
  const places = placesOf(entityName);
  const placeOf = ({ soapName }: Field) => places.get(soapName) ?? places.size;
  return fields.toSorted((one, other) => placeOf(one) - placeOf(other));
}

function wordsOf(text: string): string[] {
  return text.trim().split(/\s+/u);
}
