/* conlleval_cases.h -- made by golden/conlleval.py; not edited by hand. */
static const struct {
    const char *gold, *guess;
    bool        raw;
    const char *text;
} conlleval_case[] = {
    {"B-PER B-PER B-LOC I-PER | I-LOC I-LOC O I-PER I-LOC | O I-PER B-PER B-LOC | B-LO"
     "C B-LOC | B-PER B-PER I-LOC I-LOC | O I-LOC I-PER B-PER I-LOC | I-PER B-LOC B-PE"
     "R | B-LOC O",
     "B-LOC I-PER B-LOC I-PER | B-LOC I-LOC B-PER B-PER I-LOC | I-PER I-PER I-PER B-LO"
     "C | B-LOC B-LOC | B-PER B-LOC I-LOC I-PER | O B-PER I-PER B-PER B-PER | I-PER I-"
     "PER B-PER | I-LOC O",
     false,
     "processed 29 tokens with 23 phrases; found: 21 phrases; correct: 13.\n"
     "accuracy:  55.17%; precision:  61.90%; recall:  56.52%; FB1:  59.09\n"
     "              LOC: precision:  77.78%; recall:  63.64%; FB1:  70.00  9\n"
     "              PER: precision:  50.00%; recall:  50.00%; FB1:  50.00  12\n"},
    {"O B-A-B | B-A-B | I-A-B I-A-B I-A-B I-A-B O B-A | B-A I-A-B B-A-B I-A B-A I-A | "
     "O O B-A-B O | I-A-B B-A-B | I-A I-A | O I-A B-A B-A O",
     "I-A-B B-A-B | B-A-B | I-A-B I-A-B I-A-B I-A-B O B-A | B-A I-A-B B-A-B B-A O I-A "
     "| O O I-A B-A-B | I-A-B B-A-B | I-A I-A | O I-A B-A B-A O",
     false,
     "processed 28 tokens with 16 phrases; found: 18 phrases; correct: 14.\n"
     "accuracy:  82.14%; precision:  77.78%; recall:  87.50%; FB1:  82.35\n"
     "                A: precision:  77.78%; recall:  87.50%; FB1:  82.35  9\n"
     "              A-B: precision:  77.78%; recall:  87.50%; FB1:  82.35  9\n"},
    {"E-Y I-X E-X I-Y E-X | I-X E-X I-X I-Y I-X O | O E-X O E-X E-Y I-Y | E-Y I-X O | "
     "I-X | I-Y E-X E-X | I-Y O E-X I-X O | O I-X E-Y I-X",
     "E-Y I-X E-X I-Y E-X | I-X E-Y I-X I-Y I-X O | E-Y E-X O E-X E-X I-Y | I-Y I-X E-"
     "X | I-X | I-Y E-X E-X | I-Y O E-X I-X O | I-Y I-X I-X I-X",
     false,
     "processed 33 tokens with 24 phrases; found: 25 phrases; correct: 18.\n"
     "accuracy:  78.79%; precision:  72.00%; recall:  75.00%; FB1:  73.47\n"
     "                X: precision:  73.33%; recall:  73.33%; FB1:  73.33  15\n"
     "                Y: precision:  70.00%; recall:  77.78%; FB1:  73.68  10\n"},
    {"E-Y | I-Y B-Y S-Y E-Y E-Y | I-X I-Y | E-X B-X I-Y S-Y E-X | I-Y I-X S-Y E-Y | E-"
     "Y E-X S-Y | S-Y | I-Y S-Y I-Y E-X B-X",
     "E-Y | I-Y O S-Y E-Y E-Y | I-X I-Y | E-X B-X I-Y S-Y E-X | I-Y I-X S-Y I-X | E-Y "
     "E-X B-Y | S-Y | I-Y S-Y S-X E-Y B-Y",
     false,
     "processed 26 tokens with 18 phrases; found: 20 phrases; correct: 14.\n"
     "accuracy:  76.92%; precision:  70.00%; recall:  77.78%; FB1:  73.68\n"
     "                X: precision:  71.43%; recall:  83.33%; FB1:  76.92  7\n"
     "                Y: precision:  69.23%; recall:  75.00%; FB1:  72.00  13\n"},
    {"E-X | O O | S-X E-X E-X E-X S-X E-X | O S-X I-X B-X O E-X | I-X B-X I-X S-X S-X "
     "B-X | E-X B-X | O O E-X | I-X I-X",
     "E-X | I-X I-X | S-X E-X O E-X S-X S-X | O S-X I-X E-X I-X E-X | I-X B-X I-X S-X "
     "I-X S-X | B-X B-X | O S-X E-X | E-X I-X",
     false,
     "processed 28 tokens with 12 phrases; found: 13 phrases; correct: 5.\n"
     "accuracy:  60.71%; precision:  38.46%; recall:  41.67%; FB1:  40.00\n"
     "                X: precision:  38.46%; recall:  41.67%; FB1:  40.00  13\n"},
    {"U-X I-Y U-X U-Y B-Y U-Y | U-X O | L-Y | B-X U-X I-X I-X L-X I-Y | O U-Y I-X L-X "
     "O | U-Y L-X L-X L-X B-Y | O U-X L-Y I-X B-Y | L-X B-X U-X U-Y",
     "O I-Y U-X U-Y B-Y U-Y | U-X O | L-Y | B-X U-X I-X I-X L-X I-Y | O U-Y I-X L-X O "
     "| U-Y L-X L-X I-X U-X | B-X U-X L-Y I-X B-Y | I-X B-X U-X U-Y",
     false,
     "processed 34 tokens with 19 phrases; found: 18 phrases; correct: 14.\n"
     "accuracy:  85.29%; precision:  77.78%; recall:  73.68%; FB1:  75.68\n"
     "                X: precision:  55.56%; recall:  55.56%; FB1:  55.56  9\n"
     "                Y: precision: 100.00%; recall:  90.00%; FB1:  94.74  9\n"},
    {"B O I B B I | I O I B I I | B I O I I O | B | O I O | B | I | O O",
     "B O B B O I | B O O B I B | B I O I O O | B | O I O | B | I | O I", false,
     "processed 26 tokens with 13 phrases; found: 14 phrases; correct: 9.\n"
     "accuracy:  73.08%; precision:  64.29%; recall:  69.23%; FB1:  66.67\n"
     "                 : precision:  64.29%; recall:  69.23%; FB1:  66.67  14\n"
     "                 : precision:  64.29%; recall:  69.23%; FB1:  66.67  14\n"},
    {"E-X E-0 B-X I E | E B-0 E-0 | B | B-X | B-0 I-0 | I-0 | I B-0 B-0 O B-X | B-0 I-"
     "0 I-0 E-0 I E-0",
     "E-X O I-X I B-0 | E B-0 E | B | B-X | B-0 E-0 | I-0 | B-X B-0 B-0 O B-X | B-0 B-"
     "X I-0 E-0 I E-0",
     false,
     "processed 24 tokens with 15 phrases; found: 17 phrases; correct: 11.\n"
     "accuracy:  75.00%; precision:  64.71%; recall:  73.33%; FB1:  68.75\n"
     "                 : precision:  63.64%; recall:  63.64%; FB1:  63.64  11\n"
     "                 : precision:  63.64%; recall:  63.64%; FB1:  63.64  11\n"
     "                X: precision:  66.67%; recall: 100.00%; FB1:  80.00  6\n"},
    {".-Y | B-X | ]-X [-Y .-X I-X .-X | I-X .-X .-X [-Y | O I-Y ]-Y .-X | .-X .-X | I-"
     "X [-X I-Y O I-X ]-Y | [-X .-Y ]-Y B-X ]-X",
     ".-Y | B-X | ]-X [-X .-X .-X .-X | I-X .-X .-X .-X | O I-Y [-Y .-X | .-X .-X | I-"
     "X [-X B-X ]-X .-Y ]-Y | [-X .-Y ]-Y [-Y ]-X",
     false,
     "processed 28 tokens with 16 phrases; found: 14 phrases; correct: 8.\n"
     "accuracy:  71.43%; precision:  57.14%; recall:  50.00%; FB1:  53.33\n"
     "                X: precision:  55.56%; recall:  55.56%; FB1:  55.56  9\n"
     "                Y: precision:  60.00%; recall:  42.86%; FB1:  50.00  5\n"},
    {"-Y -X BB-Y B-Y -Y I-X | -X B-X BB-X | O | B-X BB-Y | BB-Y | O B-X -X | O I-X | O"
     " -Y I-X",
     "-Y -X BB-Y B-Y -Y I-X | -X -X BB-X | O | BB-X BB-Y | BB-X | -Y -Y -X | O I-X | O"
     " -X I-X",
     false,
     "processed 21 tokens with 12 phrases; found: 12 phrases; correct: 8.\n"
     "accuracy:  71.43%; precision:  66.67%; recall:  66.67%; FB1:  66.67\n"
     "                X: precision:  62.50%; recall:  71.43%; FB1:  66.67  8\n"
     "                Y: precision:  75.00%; recall:  60.00%; FB1:  66.67  4\n"},
    {"NN O O 0 0 | VB B-X | NN | VB | 0 VB B-X O VB NN | 0 | NN B-X NN VB O | VB O VB "
     "VB",
     "NN O NN 0 B-X | NN B-X | NN | 0 | 0 VB O O VB NN | 0 | NN B-X NN VB O | VB O 0 N"
     "N",
     true,
     "processed 25 tokens with 20 phrases; found: 20 phrases; correct: 14.\n"
     "accuracy:  72.00%; precision:  70.00%; recall:  70.00%; FB1:  70.00\n"
     "                 : precision:  60.00%; recall:  75.00%; FB1:  66.67  5\n"
     "                 : precision:  60.00%; recall:  75.00%; FB1:  66.67  5\n"
     "              B-X: precision:  66.67%; recall:  66.67%; FB1:  66.67  3\n"
     "               NN: precision:  62.50%; recall: 100.00%; FB1:  76.92  8\n"
     "               VB: precision: 100.00%; recall:  50.00%; FB1:  66.67  4\n"},
};
