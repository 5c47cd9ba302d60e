/* The computation of the peers' programs (bench.Computer): products of the rows of a matrix with a
 * vector. calibrate measures how long one takes.
 */
enum { COMPUTER = 100, CALIBRATIONS = 5, CALIBRATED = 2000 };
static float matrix[COMPUTER][COMPUTER], vector[COMPUTER], product[COMPUTER];
static double row; /* seconds that one takes */

static void compute(long rows)
{
    static int next;
    for (long r = 0; r < rows; r++) {
        float sum = 0;
        for (int i = 0; i < COMPUTER; i++) sum += matrix[next][i] * vector[i];
        product[next] = sum;
        __asm__ volatile("" ::: "memory");
        next = (next + 1) % COMPUTER;
    }
}

static void calibrate(void)
{
    for (int i = 0; i < COMPUTER; i++) {
        vector[i] = 1.0f / (i + 1);
        for (int j = 0; j < COMPUTER; j++) matrix[j][i] = (float)(i + j) / COMPUTER;
    }
    row = 0;
    for (int k = 0; k < CALIBRATIONS; k++) {
        double start = MPI_Wtime(), took;
        compute(CALIBRATED);
        took = (MPI_Wtime() - start) / CALIBRATED;
        if (row == 0 || took < row) row = took;
    }
    if (row < 1e-9) row = 1e-9;
}
