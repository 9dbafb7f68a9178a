/** Who pays in the pictures, made up. */
export const PAYOR = {
  firstName: 'Avery',
  lastName: 'Tremblay',
  email: 'avery.tremblay@example.com',
  address: {
    addressLine1: '1 King Street West',
    city: 'Toronto',
    province: 'ON',
    country: 'CA',
    postalCode: 'M5H1A1',
  },
};
