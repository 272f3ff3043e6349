export const photograph = async () => null;
